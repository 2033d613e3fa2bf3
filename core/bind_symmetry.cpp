#include "arrays.hpp"
#include "bind.hpp"
#include "symmetry.hpp"

namespace littlestone {

void bind_symmetry(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    m.def(
        "sum_rows",
        [](GridArray<const Word> rows, ListArray<const Word> sums, ListArray<Word> found) {
            sum_rows(view(rows), view(sums), view(found));
        },
        unlocked);
    m.def(
        "sum_values",
        [](GridArray<const Word> rows, ListArray<const Word> weights, ListArray<Word> found) {
            sum_values(view(rows), view(weights), view(found));
        },
        unlocked);
    m.def(
        "takes_rows",
        [](GridArray<const Word> rows, ListArray<const Index> image, ListArray<const Index> match) {
            return takes_rows(view(rows), view(image), view(match));
        },
        unlocked);
}

}  // namespace littlestone
