#include "arrays.hpp"
#include "bind.hpp"
#include "counters.hpp"

namespace littlestone {

using std::int32_t, std::int64_t, std::uint16_t;

namespace {

void require_boxes(List<const int64_t> sizes, Index points) {
    Index left = points;
    for (Index j = 0; j < sizes.size; ++j) {
        require(sizes[j] > 0 && left % sizes[j] == 0, "the weights fill the product of the columns");
        left /= sizes[j];
    }
    require(sizes.size >= 2 && left == 1, "two columns or more have a weight for each of their points");
}

void require_flats(const Flats& flats) {
    const Field& field = flats.field;
    const Index q = field.size();
    require(q > 0 && field.product.columns == q && field.minus.rows == q && field.minus.columns == q,
            "a field of q elements has q times q products and differences");
    for (const WeightedPoints& points : {flats.points, flats.infinity})
        require(points.coordinates.columns == points.weights.size &&
                    points.coordinates.rows == flats.pivots.size + flats.free.size,
                "points have a weight, and a coordinate for each pivot and each free column");
}

}  // namespace

void bind_counters(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    m.def(
        "count_cells",
        [](GridArray<const uint16_t> codes, ListArray<const int32_t> labels,
           ListArray<const int64_t> counts, GridArray<const int64_t> subsets,
           GridArray<const int32_t> strides, ListArray<const int64_t> starts,
           ListArray<int64_t> found) {
            require(labels.size() == codes.shape(1) && counts.size() == codes.shape(1),
                    "each record has a label and a count");
            require(strides.shape(0) == subsets.shape(0) && strides.shape(1) == subsets.shape(1) &&
                        starts.size() == subsets.shape(0),
                    "each column of a subset has a stride, and each subset a start");
            count_cells(view(codes), view(labels), view(counts), view(subsets), view(strides),
                        view(starts), view(found));
        },
        unlocked);
    m.def(
        "count_boxes",
        [](ListArray<const int32_t> weights, ListArray<const int64_t> sizes, Index base,
           ListArray<int64_t> found) {
            require_boxes(view(sizes), static_cast<Index>(weights.size()));
            count_boxes(view(weights), view(sizes), base, view(found));
        },
        unlocked);
    m.def(
        "count_flats",
        [](Index first, Index last, Index base, ListArray<int64_t> found,
           GridArray<const uint16_t> product, GridArray<const uint16_t> minus,
           GridArray<const uint16_t> points, ListArray<const int64_t> weights,
           GridArray<const uint16_t> infinity, ListArray<const int64_t> infinite_weights,
           ListArray<const int64_t> pivots, ListArray<const int64_t> free) {
            const Flats flats{{view(product), view(minus)}, {view(points), view(weights)},
                              {view(infinity), view(infinite_weights)}, view(pivots), view(free)};
            require_flats(flats);
            count_flats(flats, first, last, base, view(found));
        },
        unlocked);
    m.def(
        "weigh_cosets",
        [](Index number, ListArray<int64_t> sums, GridArray<const uint16_t> product,
           GridArray<const uint16_t> minus, GridArray<const uint16_t> points,
           ListArray<const int64_t> weights, GridArray<const uint16_t> infinity,
           ListArray<const int64_t> infinite_weights, ListArray<const int64_t> pivots,
           ListArray<const int64_t> free) {
            const Flats flats{{view(product), view(minus)}, {view(points), view(weights)},
                              {view(infinity), view(infinite_weights)}, view(pivots), view(free)};
            require_flats(flats);
            weigh_cosets(flats, number, view(sums));
        },
        unlocked);
    m.def(
        "count_juntas",
        [](GridArray<const int64_t> weights, ListArray<const int64_t> functions, Index low,
           ListArray<int64_t> found) {
            require(weights.shape(1) <= 30, "there are 2^30 sets of cells or fewer");
            count_juntas(view(weights), view(functions), low, view(found));
        },
        unlocked);
    m.def(
        "count_lists",
        [](Index columns, GridArray<const int64_t> counts, ListArray<const int64_t> starts,
           GridArray<int64_t> found) {
            std::size_t subcubes = 1;
            for (Index j = 0; j < columns && subcubes <= counts.shape(1); ++j) subcubes *= 3;
            require(counts.shape(0) == 2 && found.shape(0) == 2 && counts.shape(1) == subcubes &&
                        starts.size() >= counts.shape(1),
                    "two labels have a count, and a start, for each of 3^columns subcubes");
            count_lists(columns, view(counts), view(starts), view(found));
        },
        unlocked);
}

}  // namespace littlestone
