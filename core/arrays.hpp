// How nanobind makes a view of an array of numpy.  No argument is converted: an array of another type or
// layout is refused.  What the arrays hold is not looked at.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "views.hpp"

namespace nanobind::detail {

template <class View, class Element, int Dimensions>
struct ViewCaster {
    using Array = make_caster<ndarray<Element, numpy, ndim<Dimensions>, c_contig, device::cpu>>;
    NB_TYPE_CASTER(View, Array::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        if (!array.from_python(source, flags & ~std::uint32_t{cast_flags::convert}, cleanup)) return false;
        make(std::make_index_sequence<Dimensions>());
        return true;
    }

private:
    template <std::size_t... Axes>
    void make(std::index_sequence<Axes...>) {
        value = {array.value.data(), static_cast<littlestone::Index>(array.value.shape(Axes))...};
    }
    Array array;  // it keeps the array until the call is over
};

template <class T>
struct type_caster<littlestone::List<T>> : ViewCaster<littlestone::List<T>, T, 1> {};
template <class T>
struct type_caster<littlestone::Grid<T>> : ViewCaster<littlestone::Grid<T>, T, 2> {};
template <class T>
struct type_caster<littlestone::Book<T>> : ViewCaster<littlestone::Book<T>, T, 3> {};

}  // namespace nanobind::detail
