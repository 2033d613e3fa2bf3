// Several words side by side in one register, the transpose of 64 x 64 bits, and shared ones.
#pragma once

#include <cstring>

#include "words.hpp"

namespace littlestone {

template <int N>
struct VectorOf {
    typedef Word type __attribute__((vector_size(8 * N)));
};
template <int N>
using Vector = typename VectorOf<N>::type;

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

// Four blocks of 64 x 64 bits: word 4 r + b is row r of block b.
class Block {
public:
    Word* row(int r) { return words_ + 4 * r; }

    // In place: bit c of row r becomes bit r of row c, in each block.
    void transpose() {
        for (int i = 0; i < 8; ++i) stages<8>(i);
        for (int i = 0; i < 64; i += 8) stages<1>(i);
    }

    // Write bit i of word from(j, b) as bit j of word to(i, b), i, j = 0, ..., 63, b = 0, ..., 3.
    template <class From, class To>
    static void transpose(From from, To to) {
        Block block;
        for (int j = 0; j < 64; ++j)
            for (int b = 0; b < 4; ++b) block.row(j)[b] = from(j, b);
        block.transpose();
        for (int i = 0; i < 64; ++i)
            for (int b = 0; b < 4; ++b) to(i, b, block.row(i)[b]);
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
    for (int w = 0; w < words; ++w) total += static_cast<Word>(std::popcount(x[w] & y[w]));
    return static_cast<int>(total);
}

// How many ones the column at x shares with each of four columns; four at once hide the latency.
inline void count_shared(const Word* x, const Word* const (&columns)[4], int words, int (&shared)[4]) {
    const Word *a = columns[0], *b = columns[1], *c = columns[2], *d = columns[3];
    Word na = 0, nb = 0, nc = 0, nd = 0;
    for (int w = 0; w < words; ++w) {
        const Word word = x[w];
        na += static_cast<Word>(std::popcount(word & a[w]));
        nb += static_cast<Word>(std::popcount(word & b[w]));
        nc += static_cast<Word>(std::popcount(word & c[w]));
        nd += static_cast<Word>(std::popcount(word & d[w]));
    }
    shared[0] = static_cast<int>(na), shared[1] = static_cast<int>(nb);
    shared[2] = static_cast<int>(nc), shared[3] = static_cast<int>(nd);
}

}  // namespace littlestone
