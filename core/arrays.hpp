// Arrays of numpy as views. No argument is converted: an array of another type or layout is refused, and
// so is one of another shape than the core reads. What the arrays hold is not looked at.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "views.hpp"
#include "words.hpp"

namespace littlestone {

namespace nb = nanobind;

template <typename T>
using ListArray = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using GridArray = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using OrbitsArray =
    nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <typename T>
List<T> view(const ListArray<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0))};
}

template <typename T>
Grid<T> view(const GridArray<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

// Nothing is refused without a reason: it becomes a ValueError in Python.
inline void require(bool fits, const char* rule) {
    if (!fits) throw nb::value_error(rule);
}

// Rows and columns have numbers of 32 bits, and a column with a side takes one more (`Frame::origin`).
inline int require_size(Index size) {
    require(0 <= size && size < Index{1} << 30, "a table has fewer than 2^30 rows and 2^30 columns");
    return static_cast<int>(size);
}

// The number of rows of a packed table.
inline int require_rows(const GridArray<const Word>& rows, Index columns) {
    require(static_cast<Index>(rows.shape(1)) == words_of(require_size(columns)),
            "a packed row has a word for each 64 columns");
    return require_size(static_cast<Index>(rows.shape(0)));
}

// The same for a search, which has room for so many rows and columns.
template <class S>
int require_rows_for(const S& search, const GridArray<const Word>& rows) {
    const int found = require_rows(rows, search.columns());
    require(found <= search.most_rows(), "a search reads no more rows than it was made for");
    return found;
}

template <class S>
const std::int32_t* require_orbits_for(const S& search, const OrbitsArray& orbits) {
    require(orbits.shape(0) >= 2 && static_cast<Index>(orbits.shape(1)) == search.columns() &&
                orbits.shape(2) == 2,
            "orbits are [place, column, 2], with two places or more");
    return orbits.data();
}

}  // namespace littlestone
