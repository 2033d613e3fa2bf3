#include <vector>

#include "counters.hpp"

namespace littlestone {
namespace {

// The parts of a subcube, one for each non-empty set of literals over its free columns.
class Parts {
  public:
    Parts(Index columns, Index subcube) : part(subcube) {
        for (Index j = 0, power = 1; j < columns; ++j, power *= 3)
            if (subcube / power % 3 == 0) {
                free_.push_back(power);
                digits_.push_back(0);
            }
    }

    // Go to the next part; false after the last one.
    bool next() {
        std::size_t j = 0;
        for (; j < free_.size() && digits_[j] == 2; ++j) {
            digits_[j] = 0;
            part -= 2 * free_[j];
            --literals;
        }
        if (j == free_.size()) return false;
        if (digits_[j] == 0) ++literals;
        ++digits_[j];
        part += free_[j];
        return true;
    }

    Index part;          // its number as a subcube
    Index literals = 0;  // how many literals it has more than the whole

  private:
    std::vector<Index> free_;  // the powers of 3 of the free columns
    std::vector<int> digits_;
};

}  // namespace

void count_lists(Index columns, Grid<const std::int64_t> counts, List<const std::int64_t> starts,
                 Grid<std::int64_t> found) {
    Index subcubes = 1;
    for (Index j = 0; j < columns && subcubes <= counts.columns; ++j) subcubes *= 3;
    require(counts.rows == 2 && found.rows == 2 && counts.columns == subcubes && starts.size >= subcubes,
            "two labels have a count, and a start, for each of 3^columns subcubes");
    for (Index s = subcubes - 1; s >= 0; --s) {  // a part of a subcube has a larger number
        Parts parts(columns, s);
        while (parts.next()) {
            const Index part = parts.part, start = starts[part];
            const Index errors = counts[0][part] + counts[1][part] + 1;
            for (int b = 0; b < 2; ++b) {
                // The block says b outside of the part, and a list that begins with 1 - b decides in it.
                const Index wrong = counts[1 - b][s] - counts[1 - b][part];
                std::int64_t *to = found[b] + starts[s] + wrong, *from = found[1 - b] + start;
                for (Index e = 0; e < errors; ++e) to[e] += from[e];
                // Or all of the part is 1 - b. The last block has two literals or more, so that each
                // function is counted in one form.
                if (parts.literals > 1) ++to[counts[b][part]];
            }
        }
    }
}

}  // namespace littlestone
