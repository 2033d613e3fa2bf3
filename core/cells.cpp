#include <algorithm>
#include <array>

#include "counters.hpp"

namespace littlestone {

void count_cells(Grid<const std::uint16_t> codes, List<const std::int32_t> labels,
                 List<const std::int64_t> counts, Grid<const std::int64_t> subsets,
                 Grid<const std::int32_t> strides, List<const std::int64_t> starts,
                 List<std::int64_t> found) {
    require(labels.size == codes.columns && counts.size == codes.columns, "each record has a label and a count");
    require(strides.rows == subsets.rows && strides.columns == subsets.columns && starts.size == subsets.rows,
            "each column of a subset has a stride, and each subset a start");
    // Block by block, so that the codes and one table at a time stay in the fastest memory.
    constexpr Index BLOCK = 1 << 12;
    std::array<std::int32_t, BLOCK> cells;
    for (Index first = 0; first < codes.columns; first += BLOCK) {
        const Index size = std::min(BLOCK, codes.columns - first);
        for (Index s = 0; s < subsets.rows; ++s) {
            std::copy_n(labels.data + first, size, cells.begin());
            for (Index t = 0; t < subsets.columns; ++t) {
                const std::int32_t stride = strides[s][t];
                const std::uint16_t* column = codes[subsets[s][t]] + first;
                for (Index p = 0; p < size; ++p) cells[p] += column[p] * stride;
            }
            std::int64_t* table = found.data + starts[s];
            for (Index p = 0; p < size; ++p) table[cells[p]] += counts[first + p];
        }
    }
}

}  // namespace littlestone
