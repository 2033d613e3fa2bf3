// The search: whether a table has Littlestone dimension at least k.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "bounds_table.hpp"
#include "frames.hpp"
#include "slices.hpp"
#include "views.hpp"

namespace littlestone {

constexpr std::int64_t UNLIMITED = std::int64_t{1} << 62;
constexpr int MOST_K = 30;  // of a question: a table has fewer than 2^30 rows, so that LDim < 30

// What the searches of one table share.
struct Shared {
    Shared(int columns, std::size_t table_bytes);

    static constexpr std::size_t MARKS = 1 << 9;

    BoundsTable table;
    std::vector<Key> literals;          // [2 * column + side] random words
    Array<std::atomic<Word>> marks;     // paths of the large frames that are being searched
    const std::int32_t* orbits = nullptr;  // [place, column] orbit, place of the path with the column
    const int columns;
    std::atomic<bool> stopped{false};   // by the user
    std::atomic<bool> answered{false};  // by the other search
};

// The choice of a column of a frame both of whose sides have LDim >= k - 1.
struct Choice {
    enum : std::uint8_t {
        counted = 1,   // its row of pairs is there
        refuted0 = 2,  // side 0 has LDim < k - 1
        refuted1 = 4,
        left_out = 8,  // it cannot be chosen, or another one stands for it
        waiting = 16,  // the other search is at one of its sides
        decided = refuted0 | refuted1 | left_out,
    };
    static std::uint8_t refuted(int side) { return side == 1 ? refuted1 : refuted0; }

    // Room for pairs and splits is given: one allocation for all depths takes less time than many.
    Choice(int columns, std::int32_t* pairs_room, Word* splits_room)
        : order(columns), flags(columns), alive(space(2, columns)), pairs(pairs_room),
          splits(splits_room) {}

    int usable = 0;      // columns with 2^(k-2) rows on both sides, most balanced first
    int candidates = 0;  // the first of them, with 2^(k-1) rows on both sides
    bool by_rows = false;
    int looked = 0, chunk = 2;  // candidates that were looked at, and how many come next

    Array<std::int32_t> order;          // [usable] the column
    Array<std::uint8_t> flags;          // [usable]
    Array<std::int32_t> alive;          // [candidate, side] columns that split the side in two usable parts
    std::int32_t* pairs;                // [candidate * usable + usable] rows where both are 1
    std::int32_t* pairs_of(int i) const { return &pairs[static_cast<std::size_t>(i) * usable]; }
    Word* splits;                       // [candidate, part, word] the columns counted in alive
    int stride = 0;                     // words of a row of splits
    // Part 0 is the smaller side of the candidate, whose rows are listed, and part 1 the other side.
    Word* split(int i, int part) { return &splits[(2 * static_cast<std::size_t>(i) + part) * stride]; }
};

class Search {
public:
    Search(int most_rows, int columns, std::size_t table_bytes);

    // A second search of the same table, with frames of its own.  It may be made while the first one
    // runs, which does not write to its root.
    explicit Search(const Search& first);

    // Go over to another table on the same columns.
    void load(Grid<const Word> rows);

    // Ask at one point of each orbit: [place, column, 0] is the orbit of a column after a path, and
    // [place, column, 1] the place of the path that goes on with the column.  The array is read as long as
    // the table is searched.
    void use_orbits(Book<const std::int32_t> orbits);

    // Whether LDim >= k, 2 <= k <= MOST_K, within so many version spaces and units of work.
    Answer at_least(int k, std::int64_t nodes, std::int64_t work);

    // Write the points of a shattered tree of depth k >= 2, but for its lowest level, as a heap.
    bool find_tree(int k, std::int64_t* points) { return find_tree(0, k, points, 0); }

    Shared& shared() { return *shared_; }
    Frames& frames() { return frames_; }
    int most_rows() const { return frames_.most_rows(); }
    int columns() const { return shared_->columns; }
    std::int64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
    std::int64_t work() const { return work_.load(std::memory_order_relaxed); }

protected:  // the writer of certificates looks ahead as the search does
    static constexpr int NONE = -1, STOPPED = -2;

    // Before a side is built, it may be refuted by counting: with pairs of columns if a column has at most
    // IN_PLACE words, and by rows if at most FEW columns split the side.  Otherwise building is cheaper.
    static constexpr int FEW = 64, IN_PLACE = 8;

    // search.cpp
    Search(std::shared_ptr<Shared> shared, int most_rows, bool first);
    Answer decide(int depth, int k);
    void enter(int depth, int x, int side);  // make a side of a column the next frame
    int choose(int depth, int k);
    int easier_side(int depth, int i);
    bool refuted_in_place(int depth, int i, int side, int k);
    Answer try_candidate(int depth, int i, int k, bool may_wait);
    Answer try_side(int depth, int i, int side, int k, bool may_wait);
    bool find_tree(int depth, int k, std::int64_t* points, std::int64_t node);
    int remembered_choice(int depth, int k);
    int place_of_root() const { return shared_->orbits ? 1 : 0; }
    Key side_of(const Frame& frame, int x, int side) const;
    bool out_of_budget() const;
    void spend(std::int64_t work) { add(work_, work); }
    static void add(std::atomic<std::int64_t>& count, std::int64_t more) {
        count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }

    // lookahead.cpp
    void list_usable(int depth, int k);
    void leave_out_orbits(int depth);
    bool look_ahead(int depth, int i, int k);
    void look_by_pairs(int depth, int i, int k);
    bool chosen_before_rows(int depth, int i, int k);
    bool look_by_rows(int depth, int i, int k);
    bool lies_in_refuted(int depth, int i);
    template <class Splits>
    bool leaves_dead_part(const Frame& frame, int x, int side, int z, int first, Splits splits);
    bool refuted_by_pairs(int depth, int i, int side, int k);
    bool refuted_by_rows(int depth, int i, int side, int k);
    int choose_three(int depth);

    std::shared_ptr<Shared> shared_;
    const bool first_;  // it alone doubles the table of bounds
    Frames frames_;
    std::vector<Choice> choices_;
    Array<std::int32_t> pairs_;
    Array<Word> splits_;
    std::atomic<std::int64_t> nodes_{0}, work_{0};
    std::int64_t node_limit_ = UNLIMITED, work_limit_ = UNLIMITED;
    // Scratch.
    Array<std::int32_t> index_, met_;
    Array<Word> split_, mask_;
};

}  // namespace littlestone
