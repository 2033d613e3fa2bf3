#include "symmetry.hpp"

#include <algorithm>
#include <vector>

namespace littlestone {
namespace {

// Call visit(place) for the values of every four entries of a row: there are 16 places for each.
template <typename Visit>
void visit_values(const Word* row, Index places, Visit visit) {
    for (Index first = 0; first < places; first += 256) {
        Word word = *row++;
        for (Index place = first; place < std::min(places, first + 256); place += 16, word >>= 4)
            visit(place + static_cast<Index>(word & 15));
    }
}

}  // namespace

void sum_rows(Grid<const Word> rows, List<const Word> sums, List<Word> found) {
    for (Index i = 0; i < rows.rows; ++i) {
        Word total = 0;
        visit_values(rows[i], sums.size, [&](Index place) { total += sums[place]; });
        found[i] = total;
    }
}

void sum_values(Grid<const Word> rows, List<const Word> weights, List<Word> found) {
    for (Index i = 0; i < rows.rows; ++i)
        visit_values(rows[i], found.size, [&](Index place) { found[place] += weights[i]; });
}

bool takes_rows(Grid<const Word> rows, List<const Index> image, List<const Index> match) {
    std::vector<Word> moved(rows.columns);
    for (Index i = 0; i < rows.rows; ++i) {
        std::fill(moved.begin(), moved.end(), 0);
        for (Index x = 0; x < image.size / 2; ++x) {
            const Index bit = rows[i][x >> 6] >> (x & 63) & 1, to = image[2 * x + bit];
            moved[to >> 7] |= static_cast<Word>(to & 1) << (to >> 1 & 63);
        }
        if (!std::equal(moved.begin(), moved.end(), rows[match[i]])) return false;
    }
    return true;
}

}  // namespace littlestone
