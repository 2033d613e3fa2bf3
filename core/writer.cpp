#include "writer.hpp"

namespace littlestone {

namespace {

std::size_t table_bytes(std::size_t room) { return std::min<std::size_t>(room / 4, std::size_t{1} << 30); }

}  // namespace

Known& Knowledge::slot(Key key) {
    std::size_t i = key.a & (entries_.size() - 1);
    while (entries_[i].key.a != 0 && !(entries_[i].key == key)) i = (i + 1) & (entries_.size() - 1);
    return entries_[i];
}

Known* Knowledge::find(Key key) {
    Known& known = slot(key);
    return known.key.a == 0 ? nullptr : &known;
}

Known& Knowledge::operator[](Key key) {
    if (2 * used_ >= entries_.size()) {
        std::vector<Known> old(2 * entries_.size());
        old.swap(entries_);
        for (const Known& known : old)
            if (known.key.a != 0) slot(known.key) = known;
    }
    Known& known = slot(key);
    if (known.key.a == 0) {
        known.key = key;
        ++used_;
    }
    return known;
}

// The search's own table remembers here, for the sides of columns, only what counting tells of them.
Writer::Writer(Index rows, Index columns, std::size_t room)
    : Search(require_size(rows), require_size(columns), table_bytes(room)),
      room_(room),
      steps_(static_cast<std::size_t>(frames().depths())) {}

Answer Writer::write(int k, std::int64_t work) {
    require(1 <= k, "a certificate claims LDim < k for k = 1, 2, ...");
    text_.clear();
    claims_.clear();
    open_.clear();
    work_limit_ = work < UNLIMITED ? this->work() + work : UNLIMITED;
    frames_[0].place = place_of_root();
    const Answer larger = prove(0, k);
    return larger == Answer::stopped ? larger : larger == Answer::no ? Answer::yes : Answer::no;
}

bool Writer::uses_place(int place) const {
    return std::any_of(claims_.begin(), claims_.end(),
                       [place](const Claim& claim) { return claim.place == place; });
}

void Writer::put(Word number) {
    for (; number >= 128; number >>= 7) text_.push_back(static_cast<std::uint8_t>(number | 128));
    text_.push_back(static_cast<std::uint8_t>(number));
}

// Begin a claim LDim < k; false if there is no work or memory left.
bool Writer::begin(int k, int place) {
    const std::size_t used = known_.bytes() + text_.size() + claims_.size() * sizeof(Claim);
    if (out_of_budget() || used > room_ / 2 || claims_.size() >> 31 != 0) return false;
    open_.push_back(static_cast<int>(claims_.size()));
    claims_.push_back({.k = k, .place = place, .born = ++begun_});
    return true;
}

void Writer::finish() {
    claims_[open_.back()].end = text_.size();
    open_.pop_back();
    put(end);
}

void Writer::begin_step(int depth, int x, int side) {
    put(2 + static_cast<Word>(frames_[depth].origin[x] ^ side));
}

bool Writer::proves(const Known& known, int k) const {
    const auto claim = static_cast<std::size_t>(known.claim);
    return known.claim >= 0 && claim < claims_.size() && claims_[claim].born == known.born &&
           claims_[claim].k <= k;
}

// Refer to an earlier claim, after the beginning of a step.
void Writer::refer(const Known& known) {
    put(static_cast<Word>(known.kind));
    put(claims_.size() - 1 - static_cast<std::size_t>(known.claim));
    if (known.kind == shape) text_[claims_[known.claim].end] = end_with_shape;
}

void Writer::learn(Key key, int claim, Kind kind) {
    Known& known = known_[key];
    known.claim = claim, known.kind = kind;
    known.born = claims_[claim].born;
}

void Writer::learn_least(Key key, int k) { known_[key].least = static_cast<std::int16_t>(k); }

// Write the claim LDim < k about a frame; `yes` if it is false.
Answer Writer::prove(int depth, int k) {
    const Frame& frame = frames_[depth];
    if (!begin(k, frame.place)) return Answer::stopped;
    Answer answer = Answer::no;
    // Without a step: fewer rows than leaves, or no column with 2^(k-1) rows on both sides.
    if (k <= MOST_K && frame.rows >> k != 0) {
        if (k < 2)
            answer = Answer::yes;
        else if (k == 2)
            answer = frame.columns > 0 ? Answer::yes : Answer::no;
        else if (k > 3)
            answer = prove_sides(depth, k);
        else if (const int chosen = choose_three(depth); chosen != NONE)
            // Both sides of a column have LDim >= 2. If there is none, rule 2 refutes every column.
            answer = chosen == STOPPED ? Answer::stopped : Answer::yes;
    }
    if (answer == Answer::no) finish();
    return answer;
}

// Every candidate of a frame needs a step, unless rule 2 refutes one of its sides.
Answer Writer::prove_sides(int depth, int k) {
    list_usable(depth, k);
    leave_out_orbits(depth);
    steps_[depth].clear();
    Choice& choice = choices_[depth];
    for (int i = 0; i < choice.candidates; ++i) {
        if (choice.flags[i] & Choice::left_out) continue;  // the first of its orbit stands for it: rule 5
        if (!look_ahead(depth, i, k)) return Answer::stopped;
        if (choice.flags[i] & Choice::left_out) {
            step_inside(depth, i);
        } else if (!(choice.flags[i] & Choice::decided)) {
            const Answer answer = prove_candidate(depth, i, k);
            if (answer != Answer::no) return answer;
        }
    }
    return Answer::no;
}

// A side of the i-th candidate lies in a refuted side.  If a step is about that one, refer to it (kind 1).
// If not, counting refutes it, and so it refutes what lies in it.
void Writer::step_inside(int depth, int i) {
    const Frame& frame = frames_[depth];
    const int x = choices_[depth].order[i];
    for (const Step& step : steps_[depth]) {
        if (!frame.lies_in(x, step.x, step.side)) continue;
        begin_step(depth, x, frame.smaller(x));
        put(inside);
        put(static_cast<Word>(frame.origin[step.x] ^ step.side));
        return;
    }
}

// A step about a side of the i-th candidate: the one that is easier to refute, or else the other.
Answer Writer::prove_candidate(int depth, int i, int k) {
    Choice& choice = choices_[depth];
    const int x = choice.order[i], first = easier_side(depth, i);
    for (const int side : {first, 1 - first}) {
        const Answer answer = prove_side(depth, i, side, k - 1);
        if (answer == Answer::no) {
            choice.flags[i] |= Choice::refuted(side);
            steps_[depth].push_back({x, side});
        }
        if (answer != Answer::yes) return answer;
    }
    return Answer::yes;
}

// Write a step that shows LDim < k for a side: from memory (kinds 2 and 3), by a claim that counting proves
// without steps, or by a claim with steps.
Answer Writer::prove_side(int depth, int i, int side, int k) {
    const int x = choices_[depth].order[i];
    const Key path = side_of(frames_[depth], x, side);
    if (const Known* known = known_.find(path)) {
        if (known->least >= k) return Answer::yes;
        if (proves(*known, k)) {
            begin_step(depth, x, side);
            refer(*known);
            return Answer::no;
        }
    }
    const std::size_t length = text_.size(), claims = claims_.size();
    if (refuted_in_place(depth, i, side, k)) {
        begin_step(depth, x, side);
        put(child);
        if (!begin(k, 0)) return Answer::stopped;
        finish();
        learn(path, static_cast<int>(claims), subset);
        return Answer::no;
    }
    enter(depth, x, side);
    const Frame& frame = frames_[depth + 1];
    const Key key = frame.key;
    if (const Known* known = known_.find(key)) {
        if (known->least >= k) return Answer::yes;
        if (proves(*known, k)) {
            const Known meant = *known;
            begin_step(depth, x, side);
            refer(meant);
            learn(path, meant.claim, shape);
            return Answer::no;
        }
    }
    begin_step(depth, x, side);
    put(frame.place == 0 ? child : under_group);
    if (frame.place != 0) put(static_cast<Word>(frame.place - 1));
    const Answer answer = prove(depth + 1, k);
    if (answer == Answer::no) {
        learn(path, static_cast<int>(claims), subset);
        learn(key, static_cast<int>(claims), shape);
    } else {
        text_.resize(length);
        claims_.resize(claims);
        open_.resize(static_cast<std::size_t>(depth) + 1);
        if (answer == Answer::yes) learn_least(path, k), learn_least(key, k);
    }
    return answer;
}

}  // namespace littlestone
