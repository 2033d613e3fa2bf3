#include <vector>

#include "counters.hpp"

namespace littlestone {
namespace {

// A space of directions in reduced echelon form, and the coordinates of points modulo it.
class Directions {
  public:
    explicit Directions(const Flats& flats)
        : field_(flats.field), infinity_(flats.infinity), pivots_(flats.pivots), free_(flats.free),
          entries_(pivots_.size * free_.size) {}

    // Become the space of this number.
    void set(Index number) {
        for (Index r = 0; r < pivots_.size; ++r)
            for (Index f = 0; f < free_.size; ++f) {
                const bool open = free_[f] > pivots_[r];
                entries_[r * free_.size + f] = open ? number % field_.size() : 0;
                if (open) number /= field_.size();
            }
    }

    // Coordinate f of point p modulo the space: what is left after its pivots are taken away.
    Index coordinate(const WeightedPoints& points, Index p, Index f) const {
        Index y = points.coordinates[free_[f]][p];
        for (Index r = 0; r < pivots_.size; ++r)
            y = field_.minus[y][field_.product[entries_[r * free_.size + f]]
                                              [points.coordinates[pivots_[r]][p]]];
        return y;
    }

    // The weight of the points at infinity that lie in the space.
    Index weigh_inside() const {
        Index weight = 0;
        for (Index p = 0; p < infinity_.weights.size; ++p)
            if (coset(infinity_, p) == 0) weight += infinity_.weights[p];
        return weight;
    }

    // The number of the coset in which a point lies.
    Index coset(const WeightedPoints& points, Index p) const {
        Index number = 0;
        for (Index f = 0; f < free_.size; ++f)
            number = number * field_.size() + coordinate(points, p, f);
        return number;
    }

    Index cosets() const {
        Index count = 1;
        for (Index f = 0; f < free_.size; ++f) count *= field_.size();
        return count;
    }

  private:
    const Field& field_;
    const WeightedPoints& infinity_;
    List<const std::int64_t> pivots_, free_;
    std::vector<Index> entries_;  // [pivot, free column]
};

}  // namespace

void count_flats(const Flats& flats, Index first, Index last, Index base, List<std::int64_t> found) {
    const Field& field = flats.field;
    const Index q = field.size();
    require(q > 0 && field.product.columns == q && field.minus.rows == q && field.minus.columns == q,
            "a field of q elements has q times q products and differences");
    for (const WeightedPoints& each : {flats.points, flats.infinity})
        require(each.coordinates.columns == each.weights.size &&
                    each.coordinates.rows == flats.pivots.size + flats.free.size,
                "points have a weight, and a coordinate for each pivot and each free column");
    Directions space(flats);
    const WeightedPoints& points = flats.points;
    const Index cosets = space.cosets();
    std::vector<Index> sums(cosets), touched;
    std::vector<bool> seen(cosets);
    for (Index number = first; number < last; ++number) {
        space.set(number);
        const Index own = base + space.weigh_inside();
        for (Index p = 0; p < points.weights.size; ++p) {
            const Index coset = space.coset(points, p);
            if (!seen[coset]) {
                seen[coset] = true;
                touched.push_back(coset);
            }
            sums[coset] += points.weights[p];
        }
        found[own] += cosets - static_cast<Index>(touched.size());  // those without a point
        for (const Index coset : touched) {
            ++found[own + sums[coset]];
            sums[coset] = 0;
            seen[coset] = false;
        }
        touched.clear();
    }
}

}  // namespace littlestone
