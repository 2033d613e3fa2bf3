// Counting in slices: counters of all columns lie across words, bit p of each in plane p, so that one
// instruction serves as many columns as a register has bits.
#pragma once

#include "frames.hpp"

namespace littlestone {

// What a vector of columns counts in some listed rows, and in the other rows of the frame.
struct SplitQuestion {
    const Frame& frame;          // it has rows
    const std::int32_t* listed;  // padded to a multiple of 16 with the row of zeros
    int size;                    // how many rows are listed
    int least;                   // rows that are to be left on both sides: at most half of the listed
                                 // rows, and of the others if their count is used
};

// For two sets of rows, how many columns split them so.
struct SplitCounts {
    int listed = 0, others = 0;
};

namespace detail {

template <class V>
inline V majority(V a, V b, V c) {
    return (a & b) | ((a ^ b) & c);
}

// a, b, c -> their sum in ``sum``; returns the carry.
template <class V>
inline V add(V& sum, V b, V c) {
    const V a = sum;
    sum = a ^ b ^ c;
    return majority(a, b, c);
}

// Adds up the listed rows: sixteen at a time, by 15 carry-save adders (Harley and Seal; Warren,
// Hacker's Delight, section 5-2).
template <int N>
inline void count_listed(const SplitQuestion& q, int word, Vector<N>* planes, int levels) {
    using V = Vector<N>;
    const Word* const base = q.frame.rows_at + word;
    V ones{}, twos{}, fours{}, eights{};
    for (int p = 4; p < levels; ++p) planes[p] = V{};
    for (int j = 0; j < q.size; j += 16) {
        const auto row = [&](int i) {
            return load<N>(base + static_cast<std::size_t>(q.listed[j + i]) * q.frame.stride);
        };
        V two[8], four[4], eight[2];
        for (int i = 0; i < 8; ++i) two[i] = add(ones, row(2 * i), row(2 * i + 1));
        for (int i = 0; i < 4; ++i) four[i] = add(twos, two[2 * i], two[2 * i + 1]);
        for (int i = 0; i < 2; ++i) eight[i] = add(fours, four[2 * i], four[2 * i + 1]);
        V carry = add(eights, eight[0], eight[1]);
        for (int p = 4; p < levels; ++p) {
            const V old = planes[p];
            planes[p] = old ^ carry;
            carry = old & carry;
        }
    }
    planes[0] = ones, planes[1] = twos, planes[2] = fours, planes[3] = eights;
}

// Marks the columns whose counter is at least ``least`` and leaves as many others, from ``split`` on;
// and, from split + stride on, the same for the rows that are not listed: total - counter.
template <int N>
inline SplitCounts mark(const SplitQuestion& q, int word, const Vector<N>* planes, int levels,
                        int total_levels, Word* split) {
    using V = Vector<N>;
    const int above = q.size - q.least + 1, rest = q.frame.rows - q.size - q.least + 1;
    const auto bit = [](int number, int p) { return V{} - static_cast<Word>(number >> p & 1); };
    // Comparisons bit by bit, from the lowest: x < c.
    V low_here{}, high_here{}, low_there{}, high_there{}, borrow{};
    for (int p = 0; p < total_levels; ++p) {
        const V here = p < levels ? planes[p] : V{};
        const V total = load<N>(q.frame.totals.data() + static_cast<std::size_t>(p) * q.frame.stride + word);
        const V there = total ^ here ^ borrow;
        borrow = majority(~total, here, borrow);
        low_here = majority(~here, low_here, bit(q.least, p));
        high_here = majority(~here, high_here, bit(above, p));
        low_there = majority(~there, low_there, bit(q.least, p));
        high_there = majority(~there, high_there, bit(rest, p));
    }
    const V here = ~low_here & high_here, there = ~low_there & high_there;
    store<N>(here, split + word);
    store<N>(there, split + q.frame.stride + word);
    SplitCounts counts;
    for (int i = 0; i < N; ++i) {
        counts.listed += std::popcount(here[i]);
        counts.others += std::popcount(there[i]);
    }
    return counts;
}

template <int N>
inline SplitCounts count_splits(const SplitQuestion& q, Word* split) {
    const int levels = levels_of(q.size), total_levels = levels_of(q.frame.rows);
    Vector<N> planes[32];
    SplitCounts counts;
    for (int word = 0; word < q.frame.stride; word += N) {
        count_listed<N>(q, word, planes, levels);
        const SplitCounts more = mark<N>(q, word, planes, levels, total_levels, split);
        counts.listed += more.listed, counts.others += more.others;
    }
    return counts;
}

}  // namespace detail

// How many columns split the listed rows into parts of at least ``least``, and how many the others.
// The columns are marked in ``split``, two rows of words.
inline SplitCounts count_splits(const SplitQuestion& question, Word* split) {
    return question.frame.stride == 2 ? detail::count_splits<2>(question, split)
                                : detail::count_splits<4>(question, split);
}

}  // namespace littlestone
