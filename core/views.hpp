// Views of arrays that somebody else owns: a list, and a grid stored row after row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace littlestone {

using Index = std::int64_t;

template <typename T>
struct List {
    T* data;
    Index size;
    T& operator[](Index i) const { return data[i]; }
};

template <typename T>
struct Grid {
    T* data;
    Index rows, columns;
    T* operator[](Index row) const { return data + row * columns; }
};

}  // namespace littlestone
