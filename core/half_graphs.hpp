// Half-graphs: hypotheses h_1, ..., h_k and points x_1, ..., x_k with h_i(x_j) = 1 exactly if i <= j.
//
// The longest half-graph of a table is its threshold dimension.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "views.hpp"
#include "words.hpp"

namespace littlestone {

// A depth-first search for a half-graph of one length, that goes on where it stopped.
class HalfGraphSearch {
  public:
    // rows[h] and columns[x] are the same table of 0s and 1s as sets, 64 to a word.
    HalfGraphSearch(Grid<const Word> rows, Grid<const Word> columns, Index length);

    // Whether there is one; it may be stopped after `budget` more nodes.
    Answer go_on(Index budget);

    // The pairs (x_i, h_i) of the half-graph in which the last nodes end.
    std::vector<std::pair<int, int>> pairs() const;

  private:
    using Set = std::vector<Word>;
    using Numbers = std::vector<std::int32_t>;

    // The candidates of one kind at a level: all before `next` were tried.
    struct Candidates {
        Numbers numbers;
        std::size_t next = 0;
        void clear() {
            numbers.clear();
            next = 0;
        }
    };

    struct Level {
        Set hypotheses_left, points_left;
        Set ones;  // the points left where the current hypothesis is 1
        Candidates hypotheses, points;
        bool entered = false;
    };

    void list_hypotheses(Level& level, int need);
    void list_points(Level& level, int need);
    void enter_next(Level& level, std::int32_t x);
    bool list(const std::vector<Set>& sets, const Set& among, const Set& on, int need,
              Index least = 1, Index most = 0, Numbers* kept = nullptr);
    bool has_staircase(int need, Index total) const;

    std::vector<Set> rows_, columns_;
    std::vector<Level> levels_;
    std::vector<Index> having_;  // how many of the items last listed have each number of ones
    int length_ = 0, depth_ = 0;
    bool found_ = false;
};

}  // namespace littlestone
