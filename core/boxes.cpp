#include <vector>

#include "counters.hpp"

namespace littlestone {
namespace {

constexpr Index FOLDED = 1 << 16;  // numbers that stay in fast memory

// Tables of two columns of two values, noted by a code if their four weights are in -3, ..., 4:
// most are, and a loop without a branch is several times as fast.
class Squares {
  public:
    Squares(Index most, Index base, List<std::int64_t> found)
        : codes_(most), small_(LARGE + 1), base_(base), found_(found) {}

    // Note the `groups` tables with the weights [point, group].
    void note(const std::int32_t* weights, Index groups) {
        const std::int32_t *a = weights, *b = a + groups, *c = b + groups, *d = c + groups;
        for (Index x = 0; x < groups; ++x) {
            const std::int32_t i = a[x] + 3, j = b[x] + 3, k = c[x] + 3, l = d[x] + 3;
            const std::int32_t code = ((i * 8 + j) * 8 + k) * 8 + l;
            codes_[x] = ((i | j | k | l) & ~7) == 0 ? code : LARGE;
        }
        const std::int64_t before = small_[LARGE];
        for (Index x = 0; x < groups; ++x) ++small_[codes_[x]];
        if (small_[LARGE] == before) return;
        for (Index x = 0; x < groups; ++x)
            if (codes_[x] == LARGE) count(a[x], b[x], c[x], d[x], 1);
    }

    // Count the boxes of all the tables that were noted by a code.
    void count_noted() {
        for (std::int32_t code = 0; code < LARGE; ++code)
            if (small_[code])
                count((code >> 9) - 3, (code >> 6 & 7) - 3, (code >> 3 & 7) - 3, (code & 7) - 3,
                      small_[code]);
    }

  private:
    static constexpr std::int32_t LARGE = 1 << 12;

    // The nine boxes of the table (a, b; c, d), so many times.
    void count(Index a, Index b, Index c, Index d, std::int64_t times) {
        for (const Index sum : {a, c, a + c, b, d, b + d, a + b, c + d, a + b + c + d})
            found_[base_ + sum] += times;
    }

    std::vector<std::int32_t> codes_;
    std::vector<std::int64_t> small_;
    Index base_;
    List<std::int64_t> found_;
};

// The boxes of one product of columns. The intervals of the first `outer` columns are taken one after
// another; those of the next columns are summed all at once, for each point of the last `bottom`.
class BoxCounter {
  public:
    BoxCounter(List<const std::int32_t> weights, List<const std::int64_t> sizes, Index base,
               List<std::int64_t> found)
        : sizes_(sizes), strides_(sizes.size, 1), base_(base), found_(found),
          squares_(choose_levels(), base, found) {
        // levels_[j] holds the sums over intervals of the first j columns, for each point of the rest.
        levels_.emplace_back(weights.data, weights.data + weights.size);
        for (Index j = 0; j < outer_; ++j) levels_.emplace_back(strides_[j]);
    }

    void count() {
        walk(0);
        if (cube_) squares_.count_noted();
    }

  private:
    // Decide how many columns are taken one after another. Returns the tables of two by two at once.
    Index choose_levels() {
        const Index columns = sizes_.size;
        for (Index j = columns - 1; j > 0; --j) strides_[j - 1] = strides_[j] * sizes_[j];
        cube_ = columns > 2;
        for (Index j = columns - 3; cube_ && j < columns; ++j) cube_ = sizes_[j] == 2;
        bottom_ = cube_ ? 3 : 2;
        outer_ = columns - bottom_;
        Index folded = strides_[outer_] * sizes_[outer_];
        while (outer_ > 0 && folded * intervals(outer_ - 1) <= FOLDED) folded *= intervals(--outer_);
        here_.resize(folded);
        there_.resize(folded);
        return folded / 8 + 1;
    }

    Index intervals(Index column) const { return sizes_[column] * (sizes_[column] + 1) / 2; }

    // Sum the table of level j over every interval of column j, and count what is below.
    void walk(Index j) {
        if (j == outer_) return fold_and_count();
        const std::vector<std::int32_t>& source = levels_[j];
        std::vector<std::int32_t>& sums = levels_[j + 1];
        const Index wide = strides_[j];
        for (Index start = 0; start < sizes_[j]; ++start)
            for (Index stop = start; stop < sizes_[j]; ++stop) {
                const std::int32_t* slice = source.data() + stop * wide;
                for (Index x = 0; x < wide; ++x) sums[x] = slice[x] + (stop == start ? 0 : sums[x]);
                walk(j + 1);
            }
    }

    // Sum over the intervals of the columns between `outer` and `bottom`, then count the rest.
    // Tables are [cell of the columns that are left, intervals so far]: long loops in the last steps.
    void fold_and_count() {
        Index cells = strides_[outer_] * sizes_[outer_], groups = 1;
        for (Index x = 0; x < cells; ++x) here_[x] = levels_[outer_][x];
        for (Index column = outer_; column < sizes_.size - bottom_; ++column) {
            const Index size = sizes_[column];
            cells /= size;
            std::int32_t* into = there_.data();
            for (Index cell = 0; cell < cells; ++cell)
                for (Index first = 0; first < size; ++first)
                    for (Index last = first; last < size; ++last, into += groups) {
                        const std::int32_t* added = here_.data() + (last * cells + cell) * groups;
                        if (last == first)
                            for (Index x = 0; x < groups; ++x) into[x] = added[x];
                        else
                            for (Index x = 0; x < groups; ++x) into[x] = into[x - groups] + added[x];
                    }
            groups *= intervals(column);
            here_.swap(there_);
        }
        cube_ ? note_cubes(groups) : count_rectangles(groups);
    }

    // The third column from the right is 0, 1 or either.
    void note_cubes(Index groups) {
        const Index half = 4 * groups;
        for (Index x = 0; x < half; ++x) there_[x] = here_[x] + here_[half + x];
        squares_.note(here_.data(), groups);
        squares_.note(here_.data() + half, groups);
        squares_.note(there_.data(), groups);
    }

    // Every interval of rows: sum its rows, then every interval of the last column.
    void count_rectangles(Index groups) {
        const Index rows = sizes_[sizes_.size - 2], width = sizes_[sizes_.size - 1];
        std::vector<Index> row(width);
        for (Index group = 0; group < groups; ++group)
            for (Index first = 0; first < rows; ++first) {
                row.assign(width, 0);
                for (Index last = first; last < rows; ++last) {
                    for (Index x = 0; x < width; ++x)
                        row[x] += here_[(last * width + x) * groups + group];
                    for (Index x = 0; x < width; ++x) {
                        Index total = base_;
                        for (Index y = x; y < width; ++y) ++found_[total += row[y]];
                    }
                }
            }
    }

    List<const std::int64_t> sizes_;
    std::vector<Index> strides_;
    bool cube_ = false;  // the last three columns have two values each
    Index bottom_ = 2, outer_ = 0;
    Index base_;
    List<std::int64_t> found_;
    std::vector<std::int32_t> here_, there_;
    Squares squares_;
    std::vector<std::vector<std::int32_t>> levels_;
};

}  // namespace

void count_boxes(List<const std::int32_t> weights, List<const std::int64_t> sizes, Index base,
                 List<std::int64_t> found) {
    Index left = weights.size;
    for (Index j = 0; j < sizes.size; ++j) {
        require(sizes[j] > 0 && left % sizes[j] == 0, "the weights fill the product of the columns");
        left /= sizes[j];
    }
    require(sizes.size >= 2 && left == 1, "two columns or more have a weight for each of their points");
    BoxCounter(weights, sizes, base, found).count();
}

}  // namespace littlestone
