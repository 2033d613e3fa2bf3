#include "arrays.hpp"
#include "bind.hpp"
#include "counters.hpp"

namespace littlestone {

using std::int32_t, std::int64_t, std::uint16_t;

void bind_counters(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    m.def(
        "count_cells",
        [](GridArray<const uint16_t> codes, ListArray<const int32_t> labels,
           ListArray<const int64_t> counts, GridArray<const int64_t> subsets,
           GridArray<const int32_t> strides, ListArray<const int64_t> starts,
           ListArray<int64_t> found) {
            count_cells(view(codes), view(labels), view(counts), view(subsets), view(strides),
                        view(starts), view(found));
        },
        unlocked);
    m.def(
        "count_boxes",
        [](ListArray<const int32_t> weights, ListArray<const int64_t> sizes, Index base,
           ListArray<int64_t> found) { count_boxes(view(weights), view(sizes), base, view(found)); },
        unlocked);
    m.def(
        "count_flats",
        [](Index first, Index last, Index base, ListArray<int64_t> found,
           GridArray<const uint16_t> product, GridArray<const uint16_t> minus,
           GridArray<const uint16_t> points, ListArray<const int64_t> weights,
           GridArray<const uint16_t> infinity, ListArray<const int64_t> infinite_weights,
           ListArray<const int64_t> pivots, ListArray<const int64_t> free) {
            count_flats({view(product), view(minus)}, {view(points), view(weights)},
                        {view(infinity), view(infinite_weights)}, view(pivots), view(free), first,
                        last, base, view(found));
        },
        unlocked);
    m.def(
        "weigh_cosets",
        [](Index number, ListArray<int64_t> sums, GridArray<const uint16_t> product,
           GridArray<const uint16_t> minus, GridArray<const uint16_t> points,
           ListArray<const int64_t> weights, GridArray<const uint16_t> infinity,
           ListArray<const int64_t> infinite_weights, ListArray<const int64_t> pivots,
           ListArray<const int64_t> free) {
            weigh_cosets({view(product), view(minus)}, {view(points), view(weights)},
                         {view(infinity), view(infinite_weights)}, view(pivots), view(free), number,
                         view(sums));
        },
        unlocked);
    m.def(
        "count_juntas",
        [](GridArray<const int64_t> weights, ListArray<const int64_t> functions, Index low,
           ListArray<int64_t> found) {
            count_juntas(view(weights), view(functions), low, view(found));
        },
        unlocked);
    m.def(
        "count_lists",
        [](Index columns, GridArray<const int64_t> counts, ListArray<const int64_t> starts,
           GridArray<int64_t> found) { count_lists(columns, view(counts), view(starts), view(found)); },
        unlocked);
}

}  // namespace littlestone
