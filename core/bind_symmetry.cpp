#include "arrays.hpp"
#include "bind.hpp"
#include "symmetry.hpp"

namespace littlestone {

static void require_literals(const Symmetries& symmetries, std::size_t image) {
    require(static_cast<Index>(image) == 2 * symmetries.points(), "an image has two literals for each point");
}

void bind_symmetry(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Symmetries>(m, "Symmetries", "The symmetries of a table.")
        .def(
            "__init__",
            [](Symmetries* made, GridArray<const Word> rows, Index points) {
                require_rows(rows, points);
                new (made) Symmetries(view(rows), points);
            },
            nb::keep_alive<1, 2>())
        .def(
            "suggest",
            [](Symmetries& symmetries, ListArray<Index> image) {
                require_literals(symmetries, image.size());
                return static_cast<int>(symmetries.suggest(view(image)));
            },
            unlocked)
        .def(
            "is_symmetry",
            [](Symmetries& symmetries, ListArray<const Index> image) {
                require_literals(symmetries, image.size());
                return symmetries.is_symmetry(view(image));
            },
            unlocked);
}

}  // namespace littlestone
