#include "frames.hpp"

#include <algorithm>

namespace littlestone {

namespace {

constexpr std::size_t MANY = 1 << 24;  // words of all frames from which on large pages are worth it

std::size_t product(std::size_t a, std::size_t b) { return a * b; }

// Words of a row: a multiple of four, so that four blocks are transposed together.
int whole_vectors(int columns) { return (columns + 255) / 256 * 4; }

// Visit the blocks of 64 rows, by words of columns, and several words of rows before the next four of
// columns: so a line of the cache is used up, be it of a row or of a column.
template <class Visit>
void for_each_block(int stride, int words, Visit visit) {
    constexpr int together = 8;
    for (int first = 0; first < words; first += together)
        for (int b = 0; b < stride; b += 4)
            for (int g = first; g < std::min(words, first + together); ++g)
                visit(b, std::min(4, stride - b), g);
}

// The frame at depth d is asked for LDim >= k - d >= 2, where 2^k <= rows: so there are enough.
int depths_for(int rows) {
    int depth = 1;
    while (rows >> depth) ++depth;
    return depth + 2;
}

}  // namespace

Frames::Frames(int most_rows, int columns)
    : most_rows_(most_rows),
      width_(columns),
      wide_(whole_vectors(columns)),
      frames_(static_cast<std::size_t>(depths_for(most_rows))),
      columns_(space(frames_.size(), space(words_of(most_rows) + 1, columns + 1))),
      rows_(space(frames_.size(), space(most_rows + 1, wide_))),
      kept_(words_of(most_rows) + 1),
      unsettled_(columns),
      slots_(product(8, columns + 2)),
      hashes_(columns),
      index_(most_rows + 8) {  // `list` writes 7 more at most
    if (columns_.size() >= MANY) columns_.use_large_pages(0, columns_.size());
    if (rows_.size() >= MANY) rows_.use_large_pages(0, rows_.size());
    for (Frame& frame : frames_) {
        frame.ones = Array<std::int32_t>(columns);
        frame.origin = Array<std::int32_t>(columns);
        frame.totals = Array<Word>(product(32, wide_));
    }
    frames_[0].at = columns_.data(), frames_[0].rows_at = rows_.data();
}

void Frames::load(const Word* table, int rows) {
    Frame& root = frames_[0];
    root.stride = 0;  // its rows are made when they are needed
    root.rows = rows;
    for (int i = 0; i < rows; ++i) index_[i] = i;
    transpose_rows(table, words_of(width_), rows, width_, columns_.data());
    for (int j = 0; j < width_; ++j) root.origin[j] = 2 * j;
    settle(root, width_, root.origin.data());
}

void Frames::share_root(const Frames& other) {
    Frame& root = frames_[0];
    const Frame& from = other.frames_[0];
    root.rows = from.rows, root.columns = from.columns, root.words = from.words;
    root.key = from.key, root.path = from.path;
    root.at = from.at;
    std::copy_n(from.ones.data(), from.columns, root.ones.data());
    std::copy_n(from.origin.data(), from.columns, root.origin.data());
}

int Frames::list(const Word* column, int total, int side, std::int32_t* index) {
    const int words = words_of(total);
    const Word flip = side == 1 ? 0 : ALL, last = last_word(total);
    int found = 0;
    for (int w = 0; w < words; ++w) {
        Word word = column[w] ^ flip;
        if (w + 1 == words) word &= last;
        int to = found;
        found += std::popcount(word);
        // Eight at a time, more than there are: cheaper than a branch for each.
        for (; to < found; to += 8) {
            for (int j = 0; j < 8; ++j) {
                index[to + j] = 64 * w + std::countr_zero(word);
                word &= word - 1;
            }
        }
    }
    return found;
}

void Frames::restrict(int depth, int x, int side) {
    const Frame& frame = (*this)[depth];
    Frame& child = (*this)[depth + 1];
    child.at = (depth == 0 ? columns_.data() : frame.at) + product(frame.columns, frame.words);
    child.rows_at = frame.rows_at + product(frame.stride, frame.rows + 1);
    child.stride = 0;
    child.rows = frame.size(x, side);
    const Word* chosen = frame.column(x);
    int wide = frame.columns;
    if (frame.stride > 0) {
        list(chosen, frame.rows, side, index_.data());
        transpose_rows(frame.rows_at, frame.stride, child.rows, wide, child.at);
    } else {
        wide = compress_columns(frame, child, chosen, side);
    }
    settle(child, wide, frame.origin.data());
}

// Write the columns of a frame on one side of a column, but for that column: it is constant there.
int Frames::compress_columns(const Frame& frame, Frame& child, const Word* chosen, int side) {
    const int words = frame.words;
    const Word flip = side == 1 ? 0 : ALL, last = last_word(frame.rows);
    for (int w = 0; w < words; ++w)
        kept_[w].prepare((chosen[w] ^ flip) & (w + 1 == words ? last : ALL));
    Word* out = child.at;
    int found = 0;
    for (int z = 0; z < frame.columns; ++z) {
        const Word* from = frame.column(z);
        if (from == chosen) continue;
        unsettled_[found++].parent = z;
        int filled = 0;
        Word pending = 0;
        for (int w = 0; w < words; ++w) {
            const int n = std::popcount(kept_[w].mask());
            if (n == 0) continue;
            const Word word = kept_[w](from[w]);
            pending |= word << filled;
            filled += n;
            if (filled >= 64) {
                *out++ = pending;
                filled -= 64;
                pending = filled > 0 ? word >> (n - filled) : 0;
            }
        }
        if (filled > 0) *out++ = pending;
    }
    return found;
}

// Write the columns of the rows in index_, of which each has ``stride`` words.
void Frames::transpose_rows(const Word* bits, int stride, int rows, int columns, Word* out) {
    const int words = words_of(rows);
    for (int z = 0; z < columns; ++z) unsettled_[z].parent = z;
    for_each_block(stride, words, [&](int b, int width, int g) {
        const int there = std::min(64, rows - 64 * g);
        if (there < 64) block_ = Block();
        for (int r = 0; r < there; ++r) {
            const Word* row = bits + product(index_[64 * g + r], stride) + b;
            if (width == 4)
                littlestone::store<4>(littlestone::load<4>(row), block_.row(r));
            else
                std::copy_n(row, width, block_.row(r));
        }
        block_.transpose();
        for (int i = 0; i < width; ++i) {
            const int first = 64 * (b + i);
            Word* to = out + product(first, words) + g;
            for (int c = 0; c < std::min(64, columns - first); ++c, to += words) *to = block_.row(c)[i];
        }
    });
}

// Two hashes, the number of ones and the complement mask of unsettled columns, several together.
template <int Together>
void Frames::hash_columns(const Frame& frame, int first) {
    const int words = frame.words;
    const Word last = last_word(frame.rows);
    const Word* from[Together];
    Word flip[Together], hash[Together], second[Together];
    int ones[Together];
    for (int i = 0; i < Together; ++i) {
        from[i] = frame.at + product(first + i, words);
        flip[i] = from[i][0] & 1 ? ALL : 0;
        hash[i] = ODD[0], second[i] = ODD[1], ones[i] = 0;
    }
    for (int w = 0; w < words; ++w) {
        const Word keep = w + 1 == words ? last : ALL;
        for (int i = 0; i < Together; ++i) {
            const Word word = (from[i][w] ^ flip[i]) & keep;
            ones[i] += std::popcount(word);
            hash[i] = (hash[i] ^ word) * ODD[2];
            hash[i] ^= hash[i] >> 32;
            second[i] = (second[i] + word) * ODD[3];
            second[i] ^= second[i] >> 29;
        }
    }
    for (int i = 0; i < Together; ++i) {
        Unsettled& column = unsettled_[first + i];
        column.hash = hash[i], column.second = second[i], column.flip = flip[i], column.ones = ones[i];
    }
}

// Finish a frame whose ``wide`` columns lie in place: reduce them to those that `Frame` names.
// The key is a sum over the columns, so their order does not matter to it.
void Frames::settle(Frame& frame, int wide, const std::int32_t* origin) {
    const int rows = frame.rows, words = frame.words = words_of(rows);
    const Word last = last_word(rows);
    Word* const base = frame.at;
    int size = 8;
    while (size < 2 * wide) size <<= 1;  // half of the slots stay free: a search among them ends
    std::fill_n(slots_.data(), size, -1);
    if (words > 0) {
        int z = 0;
        for (; z + 4 <= wide; z += 4) hash_columns<4>(frame, z);
        for (; z < wide; ++z) hash_columns<1>(frame, z);
    }
    int found = 0;
    Key sum;
    for (int z = 0; z < wide; ++z) {
        const Unsettled& column = unsettled_[z];
        if (std::min(column.ones, rows - column.ones) < 2) continue;
        const Word* from = base + product(z, words);
        Word* to = base + product(found, words);
        if (from != to || column.flip != 0) {
            for (int w = 0; w < words; ++w) to[w] = from[w] ^ column.flip;
            to[words - 1] &= last;
        }
        int place = static_cast<int>(column.hash >> 7) & (size - 1);
        bool equal = false;
        for (; slots_[place] >= 0; place = (place + 1) & (size - 1)) {
            const int other = slots_[place];
            equal = hashes_[other] == column.hash &&
                    std::equal(to, to + words, base + product(other, words));
            if (equal) break;
        }
        if (equal) continue;
        slots_[place] = found;
        hashes_[found] = column.hash;
        frame.ones[found] = column.ones;
        frame.origin[found] = origin[column.parent] ^ static_cast<std::int32_t>(column.flip & 1);
        sum = sum + Key{mix(column.hash ^ ODD[1]), mix(column.second ^ ODD[0])};
        ++found;
    }
    frame.columns = found;
    frame.key = {mix(sum.a ^ mix(static_cast<Word>(rows))),
                 mix(sum.b + mix(static_cast<Word>(found) ^ ODD[0]))};
}

void Frames::make_rows(int depth) {
    Frame& frame = (*this)[depth];
    const int rows = frame.rows, words = frame.words, columns = frame.columns;
    const int stride = frame.stride = columns <= 128 ? 2 : whole_vectors(columns);
    Word* bits = frame.rows_at;
    std::fill_n(bits + product(rows, stride), stride, Word{0});
    for_each_block(stride, words, [&](int b, int width, int g) {
        for (int i = 0; i < width; ++i) {
            const int first = 64 * (b + i), n = std::clamp(columns - first, 0, 64);
            const Word* from = frame.column(first) + g;
            for (int c = 0; c < n; ++c, from += words) block_.row(c)[i] = *from;
            for (int c = n; c < 64; ++c) block_.row(c)[i] = 0;
        }
        block_.transpose();
        Word* to = bits + product(64 * g, stride) + b;
        for (int r = 0; r < std::min(64, rows - 64 * g); ++r, to += stride)
            std::copy_n(block_.row(r), width, to);
    });
    for (int b = 0; b < stride; b += 4) {  // the totals: bit p of word c becomes bit c of word p
        const int width = std::min(4, stride - b);
        for (int c = 0; c < 256; ++c) {
            const int z = 64 * b + c;
            block_.row(c & 63)[c >> 6] = z < columns ? static_cast<Word>(frame.ones[z]) : 0;
        }
        block_.transpose();
        for (int p = 0; p < levels_of(rows); ++p)
            std::copy_n(block_.row(p), width, frame.totals.data() + product(p, stride) + b);
    }
}

}  // namespace littlestone
