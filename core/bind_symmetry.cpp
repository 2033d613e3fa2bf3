#include "arrays.hpp"
#include "bind.hpp"
#include "symmetry.hpp"

namespace littlestone {

void bind_symmetry(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Symmetries>(m, "Symmetries", "The symmetries of a table.")
        .def(
            "__init__",
            [](Symmetries* made, GridArray<const Word> rows, Index points) {
                new (made) Symmetries(view(rows), points);
            },
            nb::keep_alive<1, 2>())
        .def(
            "suggest",
            [](Symmetries& symmetries, ListArray<Index> image) {
                return static_cast<int>(symmetries.suggest(view(image)));
            },
            unlocked)
        .def(
            "is_symmetry",
            [](Symmetries& symmetries, ListArray<const Index> image) {
                return symmetries.is_symmetry(view(image));
            },
            unlocked);
}

}  // namespace littlestone
