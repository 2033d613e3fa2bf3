// Several words side by side in one register, the transpose of 64 x 64 bits, and shared ones.
#pragma once

#include <cstring>

#include "words.hpp"

namespace littlestone {

#if defined(__GNUC__)
template <int N>
struct VectorOf {
    typedef Word type __attribute__((vector_size(8 * N)));
};
template <int N>
using Vector = typename VectorOf<N>::type;
#else
template <int N>
struct Vector {
    Word words[N];
    Word operator[](int i) const { return words[i]; }
#define LITTLESTONE_EACH(expression)                      \
    {                                                     \
        Vector made;                                      \
        for (int i = 0; i < N; ++i) made.words[i] = expression; \
        return made;                                      \
    }
    friend Vector operator&(Vector x, Vector y) LITTLESTONE_EACH(x[i] & y[i])
    friend Vector operator|(Vector x, Vector y) LITTLESTONE_EACH(x[i] | y[i])
    friend Vector operator^(Vector x, Vector y) LITTLESTONE_EACH(x[i] ^ y[i])
    friend Vector operator+(Vector x, Vector y) LITTLESTONE_EACH(x[i] + y[i])
    friend Vector operator-(Vector x, Vector y) LITTLESTONE_EACH(x[i] - y[i])
    friend Vector operator&(Vector x, Word y) LITTLESTONE_EACH(x[i] & y)
    friend Vector operator-(Vector x, Word y) LITTLESTONE_EACH(x[i] - y)
    friend Vector operator~(Vector x) LITTLESTONE_EACH(~x[i])
    friend Vector operator<<(Vector x, int by) LITTLESTONE_EACH(x[i] << by)
    friend Vector operator>>(Vector x, int by) LITTLESTONE_EACH(x[i] >> by)
#undef LITTLESTONE_EACH
};
#endif

template <int N>
inline Vector<N> load(const Word* from) {
    Vector<N> vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

template <int N>
inline void store(Vector<N> vector, Word* to) {
    std::memcpy(to, &vector, sizeof vector);
}

// Counts the ones of some words at a time, of up to MOST vectors.  Without an instruction for it, it counts
// in each byte (Warren, Hacker's Delight, section 5-1), and adds the bytes up at the end.
class OnesCounter {
public:
    static constexpr int MOST = 31;  // 8 ones of each fit into a byte
#if defined(__AVX512VPOPCNTDQ__)
    static constexpr int WORDS = 8;
    void add(Vector<8> vector) { counts_ = counts_ + Vector<8>(_mm512_popcnt_epi64(__m512i(vector))); }
    Word part(int i) const { return counts_[i]; }
    static Word whole(Word part) { return part; }
#else
#if defined(__AVX2__)
    static constexpr int WORDS = 4;
#else
    static constexpr int WORDS = 2;
#endif
    void add(Vector<WORDS> vector) {
        vector = vector - ((vector >> 1) & 0x5555555555555555);
        vector = (vector & 0x3333333333333333) + ((vector >> 2) & 0x3333333333333333);
        counts_ = counts_ + ((vector + (vector >> 4)) & 0x0F0F0F0F0F0F0F0F);
    }
    // What stands for the count of word i, and the count that a sum of 2^12 such stands for.
    Word part(int i) const {
        const Word pairs = (counts_[i] & 0x00FF00FF00FF00FF) + ((counts_[i] >> 8) & 0x00FF00FF00FF00FF);
        return (pairs & 0x0000FFFF0000FFFF) + ((pairs >> 16) & 0x0000FFFF0000FFFF);
    }
    static Word whole(Word part) { return (part + (part >> 32)) & 0xFFFFFFFF; }
#endif

private:
    Vector<WORDS> counts_{};
};

// Four blocks of 64 x 64 bits: word 4 r + b is row r of block b.
class Block {
public:
    Word* row(int r) { return words_ + 4 * r; }

    // In place: bit c of row r becomes bit r of row c, in each block.
    void transpose() {
        for (int i = 0; i < 8; ++i) stages<8>(i);
        for (int i = 0; i < 64; i += 8) stages<1>(i);
    }

private:
    // Three stages of the butterfly on the rows first + gap * i, i = 0, ..., 7.
    template <int Gap>
    void stages(int first) {
        constexpr Word masks[6] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                   0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
        constexpr int base = Gap == 1 ? 0 : 3;
        Vector<4> rows[8];
        for (int i = 0; i < 8; ++i) rows[i] = load<4>(row(first + Gap * i));
        for (int stage = 2; stage >= 0; --stage) {
            const int distance = 1 << stage, shift = distance * Gap;
            for (int i = 0; i < 8; ++i) {
                if (i & distance) continue;
                Vector<4>&low = rows[i], &high = rows[i + distance];
                const Vector<4> swap = ((low >> shift) ^ high) & masks[base + stage];
                high = high ^ swap;
                low = low ^ (swap << shift);
            }
        }
        for (int i = 0; i < 8; ++i) store<4>(rows[i], row(first + Gap * i));
    }

    alignas(64) Word words_[256] = {};
};

// How many ones two columns share.
inline int count_shared(const Word* x, const Word* y, int words) {
    Word total = 0;
    for (int w = 0; w < words; ++w) total += static_cast<Word>(count_ones(x[w] & y[w]));
    return static_cast<int>(total);
}

// How many ones the column at x shares with each of four columns; four at once hide the latency.
inline void count_shared(const Word* x, const Word* const (&columns)[4], int words, int (&shared)[4]) {
    const Word *a = columns[0], *b = columns[1], *c = columns[2], *d = columns[3];
    Word na = 0, nb = 0, nc = 0, nd = 0;
    for (int w = 0; w < words; ++w) {
        const Word word = x[w];
        na += static_cast<Word>(count_ones(word & a[w]));
        nb += static_cast<Word>(count_ones(word & b[w]));
        nc += static_cast<Word>(count_ones(word & c[w]));
        nd += static_cast<Word>(count_ones(word & d[w]));
    }
    shared[0] = static_cast<int>(na), shared[1] = static_cast<int>(nb);
    shared[2] = static_cast<int>(nc), shared[3] = static_cast<int>(nd);
}

}  // namespace littlestone
