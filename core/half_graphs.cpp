#include "half_graphs.hpp"

#include <algorithm>

#include "vectors.hpp"

namespace littlestone {
namespace {

using Set = std::vector<Word>;

// The most rows or columns of a node that are compared with each other.
constexpr std::size_t MOST_COMPARED = 1 << 10;

Index count_common(const Set& a, const Set& b) {
    return count_shared(a.data(), b.data(), static_cast<int>(a.size()));
}

Index count(const Set& a) { return count_common(a, a); }

std::vector<Set> copy_sets(Grid<const Word> grid) {
    std::vector<Set> sets;
    for (Index i = 0; i < grid.rows; ++i) sets.emplace_back(grid[i], grid[i] + grid.columns);
    return sets;
}

Set full_set(int items) {
    Set set(static_cast<std::size_t>(words_of(items)), ALL);
    if (items > 0) set.back() = last_word(items);
    return set;
}

// Whether a & on is a subset of b & on (of_zeros: contains it).
bool is_inside(const Set& a, const Set& b, const Set& on, bool of_zeros, bool* equal) {
    *equal = true;
    for (std::size_t w = 0; w < on.size(); ++w) {
        const Word mine = a[w] & on[w], others = b[w] & on[w];
        if (mine != others) *equal = false;
        if (of_zeros ? others & ~mine : mine & ~others) return false;
    }
    return true;
}

// Keep the sets whose ones (of_zeros: zeros) on a set are maximal, and one of equal ones. A half-graph
// that uses another set can use the larger one in its place.
void keep_maximal(const std::vector<Set>& sets, const Set& on, bool of_zeros,
                  std::vector<std::int32_t>* numbers) {
    const std::vector<std::int32_t> all = *numbers;
    if (all.size() > MOST_COMPARED) return;
    numbers->clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool maximal = true;
        for (std::size_t j = 0; maximal && j < all.size(); ++j) {
            bool equal;
            if (i != j && is_inside(sets[all[i]], sets[all[j]], on, of_zeros, &equal))
                maximal = equal && i < j;
        }
        if (maximal) numbers->push_back(all[i]);
    }
}

}  // namespace

HalfGraphSearch::HalfGraphSearch(Grid<const Word> rows, Grid<const Word> columns, Index length) {
    require_rows(rows, columns.rows);
    require_rows(columns, rows.rows);
    require(1 <= require_size(length), "a half-graph has one pair or more");
    rows_ = copy_sets(rows), columns_ = copy_sets(columns);
    having_.resize(std::max(rows.rows, columns.rows) + 1);
    length_ = static_cast<int>(length);
    levels_.resize(length + 1);
    levels_[0].hypotheses_left = full_set(static_cast<int>(rows_.size()));
    levels_[0].points_left = full_set(static_cast<int>(columns_.size()));
}

// List the sets `among` these with least..most ones `on` a set. Whether all of them have a staircase there.
bool HalfGraphSearch::list(const std::vector<Set>& sets, const Set& among, const Set& on, int need,
                           Index least, Index most, Numbers* kept) {
    std::fill(having_.begin(), having_.end(), 0);
    for (std::size_t w = 0; w < among.size(); ++w)
        for (Word word = among[w]; word; word &= word - 1) {
            const auto i = static_cast<std::int32_t>(64 * w + std::countr_zero(word));
            const Index ones = count_common(sets[i], on);
            ++having_[ones];
            if (least <= ones && ones <= most) kept->push_back(i);
        }
    return has_staircase(need, count(on));
}

// Whether enough of the items last listed have enough ones, and enough zeros, among `total`: in a
// half-graph of `need` pairs, need - k + 1 items have k ones or more, and need - z have z zeros or more.
bool HalfGraphSearch::has_staircase(int need, Index total) const {
    if (total < need) return false;
    Index items = 0;
    for (Index k = total; k > 0; --k) {
        items += having_[k];
        if (k <= need && items < need - k + 1) return false;
    }
    items = 0;
    for (Index ones = 1; ones <= total; ++ones) {
        items += having_[ones];
        if (total - ones < need && items < need - (total - ones)) return false;
    }
    return true;
}

// The first hypothesis of what is left is 1 at all the `need` points.
void HalfGraphSearch::list_hypotheses(Level& level, int need) {
    level.entered = true;
    level.hypotheses.clear();
    level.points.clear();
    if (!list(columns_, level.points_left, level.hypotheses_left, need)) return;
    Numbers& numbers = level.hypotheses.numbers;
    const Index total = count(level.points_left);
    if (list(rows_, level.hypotheses_left, level.points_left, need, need, total, &numbers))
        keep_maximal(rows_, level.points_left, false, &numbers);
    else
        numbers.clear();
}

// The first point is 1 at the first hypothesis and 0 at the other need - 1.
void HalfGraphSearch::list_points(Level& level, int need) {
    const Set& row = rows_[level.hypotheses.numbers[level.hypotheses.next - 1]];
    level.ones = level.points_left;
    for (std::size_t w = 0; w < row.size(); ++w) level.ones[w] &= row[w];
    level.points.clear();
    if (!list(rows_, level.hypotheses_left, level.ones, need)) return;
    const Index most = count(level.hypotheses_left) - need + 1;
    list(columns_, level.ones, level.hypotheses_left, need, 1, most, &level.points.numbers);
    keep_maximal(columns_, level.hypotheses_left, true, &level.points.numbers);
}

// After point x: the hypotheses that are 0 there, and the other points where this hypothesis is 1.
void HalfGraphSearch::enter_next(Level& level, std::int32_t x) {
    Level& next = levels_[++depth_];
    next.hypotheses_left = level.hypotheses_left;
    for (std::size_t w = 0; w < columns_[x].size(); ++w) next.hypotheses_left[w] &= ~columns_[x][w];
    next.points_left = level.ones;
    next.points_left[x >> 6] &= ~(Word{1} << (x & 63));
    next.entered = false;
}

Answer HalfGraphSearch::go_on(Index budget) {
    found_ = false;
    while (budget > 0) {
        Level& level = levels_[depth_];
        const int need = length_ - depth_;
        if (!level.entered) {
            --budget;
            list_hypotheses(level, need);
        }
        if (level.points.next < level.points.numbers.size()) {
            const std::int32_t x = level.points.numbers[level.points.next++];
            if (need == 1) {
                found_ = true;
                return Answer::yes;
            }
            enter_next(level, x);
        } else if (level.hypotheses.next < level.hypotheses.numbers.size()) {
            --budget;
            ++level.hypotheses.next;
            list_points(level, need);
        } else if (depth_ == 0) {
            return Answer::no;
        } else {
            --depth_;
        }
    }
    return Answer::stopped;
}

std::vector<std::pair<int, int>> HalfGraphSearch::pairs() const {
    require(found_, "no half-graph was found");
    std::vector<std::pair<int, int>> found;
    for (int i = 0; i < length_; ++i) {
        const Level& level = levels_[i];
        found.emplace_back(level.points.numbers[level.points.next - 1],
                           level.hypotheses.numbers[level.hypotheses.next - 1]);
    }
    return found;
}

}  // namespace littlestone
