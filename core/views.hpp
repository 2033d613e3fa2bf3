// What the parts of the core take from Python and give it: views of arrays that somebody else owns, answers,
// and what is refused.
#pragma once

#include <stdexcept>

#include "words.hpp"

namespace littlestone {

using Index = std::int64_t;

template <typename T>
struct List {
    T* data;
    Index size;
    T& operator[](Index i) const { return data[i]; }
};

// Stored row after row.
template <typename T>
struct Grid {
    T* data;
    Index rows, columns;
    T* operator[](Index row) const { return data + row * columns; }
};

// Stored page after page.
template <typename T>
struct Book {
    T* data;
    Index pages, rows, columns;
};

enum class Answer { stopped = -1, no, yes, waits };  // `waits` stays inside a search

// Nothing is refused without a reason: it becomes a ValueError in Python.
inline void require(bool fits, const char* rule) {
    if (!fits) throw std::invalid_argument(rule);
}

// Rows and columns have numbers of 32 bits, and a column with a side takes one more (`Frame::origin`).
inline int require_size(Index size) {
    require(0 <= size && size < Index{1} << 30, "a table has fewer than 2^30 rows and 2^30 columns");
    return static_cast<int>(size);
}

// The number of rows of a packed table.
inline int require_rows(Grid<const Word> rows, Index columns) {
    require(rows.columns == words_of(require_size(columns)), "a packed row has a word for each 64 columns");
    return require_size(rows.rows);
}

}  // namespace littlestone
