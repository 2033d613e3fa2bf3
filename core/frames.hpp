// Version spaces as frames: the columns of the table on the surviving rows alone, reduced.
#pragma once

#include <vector>

#include "vectors.hpp"

namespace littlestone {

// A version space.  Its columns are complemented so that row 0 is 0, differ from one another, and have
// two rows at least on both sides: no other column matters to whether LDim >= k for k >= 2.
struct Frame {
    int rows = 0, columns = 0;
    int words = 0;            // of a column: 64 rows to a word, zeros after the last
    Word* at = nullptr;       // where its columns begin
    Key key;                  // of the set of its columns
    Key path;                 // of the set of restrictions that led to it
    int place = 0;            // of its path among the orbits; 0 if it is not there
    Array<std::int32_t> ones;    // [column] rows with a 1
    Array<std::int32_t> origin;  // [column] 2 * column of the table + 1 if complemented

    // The same bits by rows, if stride > 0: 64 columns to a word, and a row of zeros after the last.
    int stride = 0;
    Word* rows_at = nullptr;  // where its rows begin
    Array<Word> totals;       // [plane * stride + word] bits of the columns' numbers of ones

    const Word* column(int x) const { return at + static_cast<std::size_t>(x) * words; }
    int smaller(int x) const { return 2 * ones[x] <= rows ? 1 : 0; }  // its smaller side
    int size(int x, int side) const { return side == 1 ? ones[x] : rows - ones[x]; }
    int minority(int x) const { return ones[x] < rows - ones[x] ? ones[x] : rows - ones[x]; }

    // Whether the smaller side of column x lies in a side of column y.
    bool lies_in(int x, int y, int side) const {
        const Word *a = column(x), *b = column(y);
        const Word flip = smaller(x) == 1 ? 0 : ALL, outside = side == 1 ? ALL : 0, last = last_word(rows);
        for (int w = 0; w < words; ++w)
            if (((a[w] ^ flip) & (b[w] ^ outside) & (w + 1 == words ? last : ALL)) != 0) return false;
        return true;
    }
};

constexpr int LEAST_LEVELS = 5;  // bits that counters of rows have at least

// As many bits as a count up to ``most`` needs.
inline int levels_of(int most) {
    int levels = LEAST_LEVELS;
    while (most >> levels) ++levels;
    return levels;
}

// The stack of frames of one search: each is a side of a column of the one before it.
class Frames {
public:
    Frames(int most_rows, int columns);

    Frame& operator[](int depth) { return frames_[depth]; }
    int depths() const { return static_cast<int>(frames_.size()); }
    int most_rows() const { return most_rows_; }
    int stride_of_root() const { return wide_; }

    // Make a table the frame at depth 0; its rows are packed 64 columns to a word.
    void load(const Word* table, int rows);
    // The same frame at depth 0 as that of another stack, whose columns both use.
    void share_root(const Frames& other);

    // Make the frame at depth + 1: the rows of the frame at ``depth`` where column x is ``side``.
    void restrict(int depth, int x, int side);

    // Give the frame its rows and totals.
    void make_rows(int depth);

    // List the rows where a column of ``total`` rows is ``side``; 15 entries after the last are free.
    static int list(const Word* column, int total, int side, std::int32_t* index);

private:
    // A column of a frame that is not settled yet.
    struct Unsettled {
        Word hash, second, flip;  // of the column with row 0 made 0; flip: all ones if that complements it
        int ones;                 // then
        int parent;               // the column of the frame before that it comes from
    };
    int compress_columns(const Frame& frame, Frame& child, const Word* column, int side);
    void transpose_rows(const Word* bits, int stride, int rows, int columns, Word* out);
    template <int Together>
    void hash_columns(const Frame& frame, int first);
    void settle(Frame& frame, int wide, const std::int32_t* origin);

    int most_rows_, width_, wide_;  // columns of the table; words of a row, in whole vectors
    std::vector<Frame> frames_;
    Array<Word> columns_, rows_;
    // Scratch.
    Array<Compressor> kept_;           // [word] the side that is kept
    Array<Unsettled> unsettled_;       // [column, those that `settle` drops included]
    Array<std::int32_t> slots_;        // hash table of columns
    Array<Word> hashes_;               // [column]
    Array<std::int32_t> index_;        // the rows that are transposed
    Block block_;
};

}  // namespace littlestone
