// What can be told of the sides of a frame's columns without building them.
//
// A column is *usable* in a frame that is asked for LDim >= k if it leaves 2^(k-2) rows on both sides:
// only such a column can split a side of another one into two parts with LDim >= k - 2.  It is a
// *candidate* if it leaves 2^(k-1), as a column must both of whose sides have LDim >= k - 1.
#include <algorithm>

#include "search.hpp"

namespace littlestone {

namespace {

constexpr int ROW_COLUMNS = 33;  // with fewer usable columns, pairs of columns are counted one by one
constexpr int ROW_ROWS = 32;     // and with fewer rows
constexpr int LARGE = 32;        // words of a column of a frame whose rows are made late
constexpr int MOST_CHUNK = 64;   // candidates that are looked at together
constexpr int SORTED = 40;       // columns from which on they are sorted by counting
constexpr std::int64_t UNWATCHED = 1 << 16;  // units of work between two looks at the budget

// The rows that a part of LDim >= k - 2 has at least.
int least_part(int k) { return 1 << (k - 2); }

bool parts(int ones, int size, int least) { return least <= ones && ones <= size - least; }

// Call visit(j, ones that x shares with column(j)) for j = first, ..., n - 1, until one of them is enough.
// Four columns are counted at once, the last one again where there are fewer.
template <class Column, class Visit>
bool visit_shared(const Word* x, int words, int first, int n, Column column, Visit visit) {
    for (; first < n; first += 4) {
        const Word* four[4];
        int shared[4];
        bool enough = false;
        for (int l = 0; l < 4; ++l) four[l] = column(std::min(first + l, n - 1));
        count_shared(x, four, words, shared);
        for (int l = 0; l < 4; ++l) enough |= visit(std::min(first + l, n - 1), shared[l]);
        if (enough) return true;
    }
    return false;
}

}  // namespace

// Most balanced first: their sides are the smallest, so they are the cheapest to refute and the
// likeliest to be chosen.
void Search::list_usable(int depth, int k) {
    const Frame& frame = frames_[depth];
    Choice& choice = choices_[depth];
    const int least = 1 << (k - 2), half = frame.rows / 2;
    std::int32_t* order = choice.order.data();
    int found = 0;
    if (frame.columns > SORTED) {
        std::int32_t* places = index_.data();  // [half - minority] columns, then where they begin
        std::fill_n(places, std::max(0, half - least + 1), 0);
        for (int z = 0; z < frame.columns; ++z)
            if (frame.minority(z) >= least) ++places[half - frame.minority(z)];
        for (int c = 0; c <= half - least; ++c) {
            const int size = places[c];
            places[c] = found;
            found += size;
        }
        for (int z = 0; z < frame.columns; ++z)
            if (frame.minority(z) >= least) order[places[half - frame.minority(z)]++] = z;
    } else {
        for (int z = 0; z < frame.columns; ++z) {
            const int minority = frame.minority(z);
            if (minority < least) continue;
            int to = found++;
            for (; to > 0 && frame.minority(order[to - 1]) < minority; --to) order[to] = order[to - 1];
            order[to] = z;
        }
    }
    choice.usable = found;
    std::fill_n(choice.flags.data(), found, std::uint8_t{0});
    choice.candidates = 0;
    while (choice.candidates < found && frame.minority(order[choice.candidates]) >= 2 * least)
        ++choice.candidates;
    choice.by_rows = found >= ROW_COLUMNS && frame.rows >= ROW_ROWS;
    choice.looked = 0, choice.chunk = 2;
}

// Keep the first candidate of each orbit, if the orbits of the frame's path are known.  Symmetries that
// fix the path take the sides of one to those of the others (docs/proofs/symmetry.md, Lemma 2).
void Search::leave_out_orbits(int depth) {
    const Frame& frame = frames_[depth];
    if (frame.place == 0) return;
    Choice& choice = choices_[depth];
    const std::int32_t* orbits =
        shared_->orbits + 2 * static_cast<std::size_t>(frame.place) * shared_->columns;
    const auto orbit = [&](int i) { return orbits[2 * (frame.origin[choice.order[i]] >> 1)]; };
    for (int i = 0; i < choice.candidates; ++i) met_[orbit(i)] = 0;
    for (int i = 0; i < choice.candidates; ++i)
        if (met_[orbit(i)]++ > 0) choice.flags[i] |= Choice::left_out;
}

// Look whether a candidate may be left out or refuted, and count the columns that split its sides.
// False if the search is to stop.
bool Search::look_ahead(int depth, int i, int k) {
    Choice& choice = choices_[depth];
    if (!choice.by_rows) {
        if (out_of_budget()) return false;
        if (lies_in_refuted(depth, i)) {
            choice.flags[i] |= Choice::left_out;
            return true;
        }
        look_by_pairs(depth, i, k);
    } else if (i >= choice.looked && !chosen_before_rows(depth, i, k) && !look_by_rows(depth, i, k)) {
        return false;
    }
    if (choice.flags[i] & Choice::decided) return true;
    // A side with LDim >= k - 1 >= 2 has a column that splits it into parts of LDim >= k - 2, which
    // have 2^(k-2) rows.
    for (const int side : {1, 0}) {
        if (choice.alive[2 * i + side] > 0) continue;
        if (choice.by_rows && !(choice.flags[i] & Choice::decided))
            shared_->table.store(side_of(frames_[depth], choice.order[i], side), {0, k - 2}, 0, first_);
        choice.flags[i] |= Choice::refuted(side);
    }
    if (!(choice.flags[i] & Choice::decided) && choice.by_rows && lies_in_refuted(depth, i))
        choice.flags[i] |= Choice::left_out;
    return true;
}

// Count the rows that the i-th usable column shares with each usable one, and so the columns that split its
// sides.
void Search::look_by_pairs(int depth, int i, int k) {
    const Frame& frame = frames_[depth];
    Choice& choice = choices_[depth];
    const int n = choice.usable, least = least_part(k), words = frame.words;
    const auto column = [&](int j) { return frame.column(choice.order[j]); };
    std::int32_t* both = choice.pairs_of(i);
    for (int j = 0; j < i; ++j)
        both[j] = choice.flags[j] & Choice::counted ? choice.pairs_of(j)[i]
                                                    : count_shared(column(i), column(j), words);
    visit_shared(column(i), words, i, n, column, [&](int j, int shared) {
        both[j] = shared;
        return false;
    });
    choice.flags[i] |= Choice::counted;
    const int size1 = frame.size(choice.order[i], 1), size0 = frame.rows - size1;
    int alive0 = 0, alive1 = 0;
    for (int j = 0; j < n; ++j) {
        alive1 += parts(both[j], size1, least);
        alive0 += parts(frame.ones[choice.order[j]] - both[j], size0, least);
    }
    choice.alive[2 * i] = alive0, choice.alive[2 * i + 1] = alive1;
    spend(static_cast<std::int64_t>(n) * words);
}

// Whether the first candidate of a large frame is to be tried before the frame has rows: to make them takes
// longer than to count its pairs, and as much memory as the columns.  They are needed if it is not chosen.
bool Search::chosen_before_rows(int depth, int i, int k) {
    const Frame& frame = frames_[depth];
    Choice& choice = choices_[depth];
    if (i > 0 || frame.stride > 0 || frame.words < LARGE) return false;
    look_by_pairs(depth, i, k);
    // In place a side is refuted by rows.
    if (std::min(choice.alive[0], choice.alive[1]) <= FEW) return false;
    choice.looked = 1;
    return true;
}

// Count for a chunk of candidates, from the i-th one on, but for those that are refuted already.
bool Search::look_by_rows(int depth, int i, int k) {
    Frame& frame = frames_[depth];
    Choice& choice = choices_[depth];
    const int least = least_part(k);
    if (out_of_budget()) return false;
    if (frame.stride == 0) frames_.make_rows(depth);
    choice.stride = frame.stride;
    choice.looked = std::min(choice.candidates, i + choice.chunk);
    choice.chunk = std::min(2 * choice.chunk, frame.words < LARGE ? MOST_CHUNK : 2);
    for (int j = i; j < choice.looked; ++j) {
        const int x = choice.order[j];
        shared_->table.prefetch(side_of(frame, x, frame.smaller(x)));
    }
    for (int j = i; j < choice.looked; ++j) {
        if (choice.flags[j] & Choice::left_out) continue;
        const int x = choice.order[j], side = frame.smaller(x);
        if (shared_->table.probe(side_of(frame, x, side)).less_than(k - 1)) {
            choice.flags[j] |= Choice::refuted(side);
            continue;
        }
        const int size = Frames::list(frame.column(x), frame.rows, side, index_.data());
        std::fill_n(&index_[size], 15, frame.rows);  // the row of zeros
        const SplitCounts counts = count_splits({frame, index_.data(), size, least}, choice.split(j, 0));
        choice.alive[2 * j + side] = counts.listed;
        choice.alive[2 * j + 1 - side] = counts.others;
        spend(static_cast<std::int64_t>(frame.rows >> 5) * frame.stride);
    }
    return true;
}

// Whether a side of the i-th candidate lies in a side refuted here, so that it has LDim < k - 1, too:
// LDim(V) <= LDim(W) for V in W.  It is the smaller side: those before are as balanced, and no two are equal.
bool Search::lies_in_refuted(int depth, int i) {
    const Frame& frame = frames_[depth];
    const Choice& choice = choices_[depth];
    const int x = choice.order[i];
    for (int j = 0; j < i; ++j) {
        if (choice.flags[j] & Choice::refuted1 && frame.lies_in(x, choice.order[j], 1)) return true;
        if (choice.flags[j] & Choice::refuted0 && frame.lies_in(x, choice.order[j], 0)) return true;
    }
    return false;
}

// Whether a part that column z makes of a side of column x is split by no column. The part where z is
// ``first`` is looked at first; splits(part) looks at the rows in mask_.
template <class Splits>
bool Search::leaves_dead_part(const Frame& frame, int x, int side, int z, int first, Splits splits) {
    const Word *a = frame.column(x), *b = frame.column(z);
    const Word flip = side == 1 ? 0 : ALL;
    for (const int part : {first, 1 - first}) {
        const Word also = part == 1 ? 0 : ALL;
        for (int w = 0; w < frame.words; ++w) mask_[w] = (a[w] ^ flip) & (b[w] ^ also);
        mask_[frame.words - 1] &= last_word(frame.rows);
        if (!splits(part)) return true;
    }
    return false;
}

// Whether a side of the i-th candidate has LDim < k for want of splits, k >= 3: every column that
// splits the side into 2^(k-1) and 2^(k-1) rows leaves a part that no column splits into 2^(k-2) and
// 2^(k-2), so that this part has LDim < k - 1.
bool Search::refuted_by_pairs(int depth, int i, int side, int k) {
    const Frame& frame = frames_[depth];
    const Choice& choice = choices_[depth];
    const int half = 1 << (k - 1), quarter = 1 << (k - 2), total = frame.size(choice.order[i], side);
    for (int j = 0; j < choice.usable; ++j) {
        const int z = choice.order[j];
        const int pair = choice.pairs_of(i)[j], both = side == 1 ? pair : frame.ones[z] - pair;
        if (!parts(both, total, half)) continue;
        // By all columns: the third one may be less balanced than the usable ones.
        const auto splits = [&](int part) {
            const int size = part == 1 ? both : total - both;
            spend(static_cast<std::int64_t>(frame.columns) * frame.words);
            return visit_shared(
                mask_.data(), frame.words, 0, frame.columns,
                [&](int column) { return frame.column(column); },
                [&](int, int ones) { return parts(ones, size, quarter); });
        };
        if (!leaves_dead_part(frame, choice.order[i], side, z, 2 * both <= total, splits)) return false;
    }
    return true;
}

// The same by rows: the columns that split the side are marked in the choice.
bool Search::refuted_by_rows(int depth, int i, int side, int k) {
    const Frame& frame = frames_[depth];
    const int x = choices_[depth].order[i];
    const Word* marked = choices_[depth].split(i, side == frame.smaller(x) ? 0 : 1);
    const auto splits = [&](int) {
        const int size = Frames::list(mask_.data(), frame.rows, 1, index_.data());
        std::fill_n(&index_[size], 15, frame.rows);
        spend(static_cast<std::int64_t>(size >> 4) * frame.stride);
        return count_splits({frame, index_.data(), size, 1 << (k - 2)}, split_.data()).listed > 0;
    };
    for (int word = 0; word < frame.stride; ++word) {
        for (Word marks = marked[word]; marks != 0; marks &= marks - 1) {
            const int z = 64 * word + std::countr_zero(marks);
            if (!leaves_dead_part(frame, x, side, z, frame.smaller(z), splits)) return false;
        }
    }
    return true;
}

// A column both of whose sides have LDim >= 2: some column splits each two and two.  So LDim >= 3.
int Search::choose_three(int depth) {
    const Frame& frame = frames_[depth];
    const int columns = frame.columns;
    const std::int64_t each = static_cast<std::int64_t>(columns) * frame.words;
    std::int64_t unspent = 0;
    for (int x = 0; x < columns; ++x, unspent += each) {
        if (unspent >= UNWATCHED) {  // seldom: most frames are small, and looking costs more than they do
            spend(unspent);
            unspent = 0;
            if (out_of_budget()) return STOPPED;
        }
        const int size1 = frame.size(x, 1), size0 = frame.size(x, 0);
        if (std::min(size0, size1) < 4) continue;
        bool alive0 = false, alive1 = false;
        const auto column = [&](int z) { return frame.column(z); };
        const auto note = [&](int z, int both) {
            alive1 |= parts(both, size1, 2);
            alive0 |= parts(frame.ones[z] - both, size0, 2);
            return alive0 && alive1;
        };
        if (visit_shared(column(x), frame.words, 0, columns, column, note)) return x;
    }
    return NONE;
}

}  // namespace littlestone
