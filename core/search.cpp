#include "search.hpp"

namespace littlestone {

static constexpr int MARKED = 4;  // sides are marked for the other search from this k on

Shared::Shared(int width, std::size_t table_bytes)
    : table(table_bytes),
      literals(2 * static_cast<std::size_t>(width)),
      marks(MARKS, Filled::zeros),
      columns(width) {
    Word seed = 64;
    for (Key& literal : literals) {
        literal.a = mix(seed += ODD[0]);
        literal.b = mix(seed += ODD[0]);
    }
}

Search::Search(int most_rows, int columns, std::size_t table_bytes)
    : Search(std::make_shared<Shared>(columns, table_bytes), most_rows, true) {}

Search::Search(const Search& first) : Search(first.shared_, first.most_rows(), false) {
    frames_.share_root(first.frames_);
}

Search::Search(std::shared_ptr<Shared> shared, int most_rows, bool first)
    : shared_(std::move(shared)),
      first_(first),
      frames_(most_rows, columns()),
      index_(most_rows + 80),
      met_(columns()),
      split_(2 * static_cast<std::size_t>(frames_.stride_of_root())),
      mask_(words_of(most_rows) + 1) {
    const std::size_t pairs = space(columns(), columns()), splits = space(columns(), split_.size());
    pairs_ = Array<std::int32_t>(space(frames_.depths(), pairs));
    splits_ = Array<Word>(space(frames_.depths(), splits));
    for (int depth = 0; depth < frames_.depths(); ++depth)
        choices_.emplace_back(columns(), pairs_.data() + depth * pairs, splits_.data() + depth * splits);
}

// Of a table as it is given, its points in their order: restrictions name points, and `Frame::key` does not.
static Key path_of_root(Grid<const Word> rows, int columns) {
    Key path{mix(static_cast<Word>(rows.rows)), mix(ODD[0] ^ static_cast<Word>(columns))};
    for (const Word *word = rows[0], *end = rows[rows.rows]; word < end; ++word)
        path = {mix(path.a ^ *word), mix(path.b + mix(*word ^ ODD[1]))};
    return path;
}

void Search::load(Grid<const Word> rows) {
    const int count = require_rows(rows, columns());
    require(count <= most_rows(), "a search reads no more rows than it was made for");
    frames_.load(rows.data, count);
    // What is learnt about the sets of restrictions of one table is not true of another.
    frames_[0].path = path_of_root(rows, columns());
    shared_->orbits = nullptr;
}

void Search::use_orbits(Book<const std::int32_t> orbits) {
    require(orbits.pages >= 2 && orbits.rows == columns() && orbits.columns == 2,
            "orbits are [place, column, 2], with two places or more");
    shared_->orbits = orbits.data;
}

Answer Search::at_least(int k, std::int64_t nodes, std::int64_t work) {
    node_limit_ = nodes < UNLIMITED ? this->nodes() + nodes : UNLIMITED;
    work_limit_ = work < UNLIMITED ? this->work() + work : UNLIMITED;
    frames_[0].place = place_of_root();
    const Answer answer = decide(0, k);
    node_limit_ = work_limit_ = UNLIMITED;
    return answer;
}

bool Search::out_of_budget() const {
    return shared_->stopped.load(std::memory_order_relaxed) ||
           shared_->answered.load(std::memory_order_relaxed) || nodes() >= node_limit_ ||
           work() >= work_limit_;
}

// The set of restrictions that leads to a side of column x.
Key Search::side_of(const Frame& frame, int x, int side) const {
    return frame.path + shared_->literals[static_cast<std::size_t>(frame.origin[x] ^ side)];
}

void Search::enter(int depth, int x, int side) {
    const Frame& frame = frames_[depth];
    frames_.restrict(depth, x, side);
    Frame& child = frames_[depth + 1];
    child.path = side_of(frame, x, side);
    child.place = 0;
    if (frame.place > 0) {
        const auto at = static_cast<std::size_t>(frame.place) * shared_->columns + (frame.origin[x] >> 1);
        child.place = shared_->orbits[2 * at + 1];
    }
    spend(static_cast<std::int64_t>(frame.columns) * frame.words);
}

// Whether the frame has LDim >= k >= 2.
Answer Search::decide(int depth, int k) {
    const Frame& frame = frames_[depth];
    // A shattered tree of depth k has 2^k leaves, which are different rows.
    if (frame.rows < 1 << k) return Answer::no;
    // A column of a frame leaves two rows on both sides, which some column tells apart.
    if (k == 2) return frame.columns > 0 ? Answer::yes : Answer::no;
    const Bounds bounds = shared_->table.probe(frame.key);
    if (bounds.at_least(k)) return Answer::yes;
    if (bounds.less_than(k)) return Answer::no;
    if (out_of_budget()) return Answer::stopped;
    const std::int64_t began = nodes();
    add(nodes_, 1);
    const int chosen = k == 3 ? choose_three(depth) : choose(depth, k);
    if (chosen == STOPPED) return Answer::stopped;
    shared_->table.store(frame.key, chosen >= 0 ? Bounds{k, 255} : Bounds{0, k - 1}, nodes() - began,
                         first_);
    return chosen >= 0 ? Answer::yes : Answer::no;
}

// A column both of whose sides have LDim >= k - 1, for k > 3; by the definition LDim >= k exactly if
// there is one.  Another search of the table may run beside this one.  A candidate that waits for the
// other one is tried after the others.  By then the other search has mostly decided it, or this one
// helps.
int Search::choose(int depth, int k) {
    list_usable(depth, k);
    leave_out_orbits(depth);
    Choice& choice = choices_[depth];
    for (const bool may_wait : {true, false}) {
        bool waits = false;
        for (int i = 0; i < choice.candidates; ++i) {
            if (may_wait) {
                if (choice.flags[i] & Choice::left_out) continue;
                if (!look_ahead(depth, i, k)) return STOPPED;
                if (choice.flags[i] & Choice::decided) continue;
            } else if (!(choice.flags[i] & Choice::waiting)) {
                continue;
            }
            switch (try_candidate(depth, i, k, may_wait)) {
                case Answer::yes: return choice.order[i];
                case Answer::stopped: return STOPPED;
                case Answer::waits:
                    choice.flags[i] |= Choice::waiting;
                    waits = true;
                    break;
                case Answer::no: break;
            }
        }
        if (!waits) break;
    }
    return NONE;
}

// The side of a candidate that is easier to refute: with fewer rows, and columns that split it.
int Search::easier_side(int depth, int i) {
    const Frame& frame = frames_[depth];
    const Choice& choice = choices_[depth];
    const auto cost = [&](int side) {
        return static_cast<std::int64_t>(choice.alive[2 * i + side]) * frame.size(choice.order[i], side);
    };
    return cost(1) <= cost(0) ? 1 : 0;
}

// Whether a side of a candidate is seen to have LDim < k without being built.
bool Search::refuted_in_place(int depth, int i, int side, int k) {
    const Choice& choice = choices_[depth];
    if (choice.by_rows) return choice.alive[2 * i + side] <= FEW && refuted_by_rows(depth, i, side, k);
    return frames_[depth].words <= IN_PLACE && refuted_by_pairs(depth, i, side, k);
}

// Whether both sides of a candidate have LDim >= k - 1.
Answer Search::try_candidate(int depth, int i, int k, bool may_wait) {
    Choice& choice = choices_[depth];
    const int first = easier_side(depth, i);
    for (const int side : {first, 1 - first}) {
        const Answer answer = try_side(depth, i, side, k - 1, may_wait);
        if (answer == Answer::no) choice.flags[i] |= Choice::refuted(side);
        if (answer != Answer::yes) return answer;
    }
    return Answer::yes;
}

// Whether a side of a candidate has LDim >= k: from memory, in place, or by a search.
Answer Search::try_side(int depth, int i, int side, int k, bool may_wait) {
    Choice& choice = choices_[depth];
    const int x = choice.order[i];
    const Key path = side_of(frames_[depth], x, side);
    const Bounds bounds = shared_->table.probe(path);
    if (bounds.at_least(k)) return Answer::yes;
    if (bounds.less_than(k)) return Answer::no;
    if (refuted_in_place(depth, i, side, k)) {
        shared_->table.store(path, {0, k - 1}, 0, first_);
        return Answer::no;
    }
    std::atomic<Word>& mark = shared_->marks[path.a & (Shared::MARKS - 1)];
    const bool marked = k >= MARKED;
    if (marked) {
        if (may_wait && mark.load(std::memory_order_relaxed) == path.a) return Answer::waits;
        mark.store(path.a, std::memory_order_relaxed);
    }
    const std::int64_t before = nodes();
    enter(depth, x, side);
    const Answer answer = decide(depth + 1, k);
    if (marked) mark.store(0, std::memory_order_relaxed);
    if (answer != Answer::stopped)
        shared_->table.store(path, answer == Answer::yes ? Bounds{k, 255} : Bounds{0, k - 1},
                             nodes() - before, first_);
    return answer;
}

// A column both of whose sides are remembered to have LDim >= k - 1.
int Search::remembered_choice(int depth, int k) {
    const Frame& frame = frames_[depth];
    for (int x = 0; x < frame.columns; ++x)
        if (shared_->table.probe(side_of(frame, x, 0)).at_least(k - 1) &&
            shared_->table.probe(side_of(frame, x, 1)).at_least(k - 1))
            return x;
    return NONE;
}

bool Search::find_tree(int depth, int k, std::int64_t* points, std::int64_t node) {
    const Frame& frame = frames_[depth];
    if (k == 2) {
        if (frame.columns > 0) points[node] = frame.origin[0] >> 1;
        return frame.columns > 0;
    }
    if (depth == 0) frames_[0].place = place_of_root();
    int chosen = k == 3 ? choose_three(depth) : remembered_choice(depth, k);
    if (chosen == NONE && k > 3) chosen = choose(depth, k);
    if (chosen < 0) return false;
    const int origin = frame.origin[chosen];
    points[node] = origin >> 1;
    for (const int side : {0, 1}) {
        enter(depth, chosen, side);
        // The columns may be complements of those of the table.
        if (!find_tree(depth + 1, k - 1, points, 2 * node + 1 + (side ^ (origin & 1)))) return false;
    }
    return true;
}

}  // namespace littlestone
