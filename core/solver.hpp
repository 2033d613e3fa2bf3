// One table, and the questions that can be asked of it: by one search, or by two side by side.
#pragma once

#include <chrono>
#include <optional>

#include "search.hpp"

namespace littlestone {

enum class Searcher { first, second, both };

class Solver {
public:
    Solver(Index most_rows, Index columns, std::size_t table_bytes)
        : first_(require_size(most_rows), require_size(columns), table_bytes) {}

    // Go over to a table on the same columns, with no more than ``most_rows`` rows.
    void load(Grid<const Word> rows);

    // Whether LDim >= k >= 2, within so many version spaces and units of work of each search.  Of both, the
    // second one is asked whether LDim >= ``ahead``, if that is given; its answer is kept for the time when
    // it is asked.
    Answer ask(int k, std::int64_t nodes, std::int64_t work, Searcher searcher,
               std::optional<int> ahead);

    // Write the points of a shattered tree of depth k >= 2, but for its lowest level, as a heap.
    bool find_tree(int k, List<Index> points);

    // See `Search`.
    void use_orbits(Book<const std::int32_t> orbits) { first_.use_orbits(orbits); }
    bool symmetric() { return first_.shared().orbits != nullptr; }

    // From so many seconds on, the second search takes part in questions to both.
    void help_after(double seconds);

    // Make the question that is being asked end soon, and those that follow, until `resume`.
    void stop() { first_.shared().stopped = true; }
    void resume() { first_.shared().stopped = false; }

    std::int64_t nodes() const;
    std::int64_t own_nodes() const { return first_.nodes(); }  // of the first search
    std::int64_t work() const { return first_.work(); }

private:
    using Clock = std::chrono::steady_clock;

    Search& second();
    Answer ask_both(int k, std::int64_t nodes, std::int64_t work, int ahead);

    Search first_;
    std::unique_ptr<Search> second_;
    std::atomic<const Search*> seen_{nullptr};  // the second search, for those who count
    Clock::time_point help_from_ = Clock::time_point::max();
};

}  // namespace littlestone
