// Arrays of numpy as views. No argument is converted: an array of another type or layout is refused.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "views.hpp"

namespace littlestone {

namespace nb = nanobind;

template <typename T>
using ListArray = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using GridArray = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
List<T> view(const ListArray<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0))};
}

template <typename T>
Grid<T> view(const GridArray<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

}  // namespace littlestone
