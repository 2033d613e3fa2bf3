#include <vector>

#include "counters.hpp"

namespace littlestone {

void count_juntas(Grid<const std::int64_t> weights, List<const std::int64_t> functions, Index low,
                  List<std::int64_t> found) {
    const Index cells = weights.columns;
    require(cells <= 30, "there are 2^30 sets of cells or fewer");
    std::vector<Index> sums(std::size_t{1} << cells);  // of every set of cells
    for (Index s = 0; s < weights.rows; ++s) {
        sums[0] = -low;
        for (Index c = 0; c < cells; ++c) {
            const Index half = Index{1} << c;
            for (Index t = 0; t < half; ++t) sums[half + t] = sums[t] + weights[s][c];
        }
        for (Index i = 0; i < functions.size; ++i) ++found[sums[functions[i]]];
    }
}

}  // namespace littlestone
