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
                Index length) {
                 require_rows(rows, require_size(static_cast<Index>(columns.shape(0))));
                 require_rows(columns, require_size(static_cast<Index>(rows.shape(0))));
                 require(1 <= require_size(length), "a half-graph has one pair or more");
                 new (search) HalfGraphSearch(view(rows), view(columns), static_cast<int>(length));
             })
        .def(
            "go_on",
            [](HalfGraphSearch& search, Index budget) {
                return static_cast<int>(search.go_on(budget));
            },
            nb::call_guard<nb::gil_scoped_release>())
        .def("pairs", [](const HalfGraphSearch& search) {
            require(search.found(), "no half-graph was found");
            return search.pairs();
        });
}

}  // namespace littlestone
