#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "half_graphs.hpp"

namespace littlestone {

void bind_half_graphs(nb::module_& m) {
    nb::class_<HalfGraphSearch>(m, "HalfGraphSearch", "See half_graphs.hpp.")
        .def("__init__",
             [](HalfGraphSearch* search, GridArray<const Word> rows, GridArray<const Word> columns,
                int length) { new (search) HalfGraphSearch(view(rows), view(columns), length); })
        .def(
            "go_on",
            [](HalfGraphSearch& search, Index budget) {
                return static_cast<int>(search.go_on(budget));
            },
            nb::call_guard<nb::gil_scoped_release>())
        .def("pairs", &HalfGraphSearch::pairs);
}

}  // namespace littlestone
