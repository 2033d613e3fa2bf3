// A plain search for the Littlestone dimension of a table, as a yardstick for the core.
//
// Frames of packed columns, a table of bounds, a lookahead over pairs of columns, the cheaper side
// first, and sides inside refuted sides left out.  One thread, no symmetries, nothing that a compiler
// does not find by itself; it is built for the processor at hand.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace {

using Word = std::uint64_t;

Word mix(Word x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

// The bits of a word that a mask keeps, packed together.
Word extract(Word word, Word mask) {
#if defined(__BMI2__)
    return _pext_u64(word, mask);
#else
    Word found = 0;
    for (int to = 0; mask; mask &= mask - 1, ++to)
        found |= (word >> __builtin_ctzll(mask) & 1) << to;
    return found;
#endif
}

int common(const Word* a, const Word* b, int words) {
    int ones = 0;
    for (int w = 0; w < words; ++w) ones += __builtin_popcountll(a[w] & b[w]);
    return ones;
}

// Four at a time: the population counts of four columns do not wait for each other.
void common_of_four(const Word* a, const Word* const* b, int words, int* ones) {
    ones[0] = ones[1] = ones[2] = ones[3] = 0;
    for (int w = 0; w < words; ++w)
        for (int i = 0; i < 4; ++i) ones[i] += __builtin_popcountll(a[w] & b[i][w]);
}

struct Key {
    Word a = 0, b = 0;
    bool operator==(const Key& other) const { return a == other.a && b == other.b; }
};

struct Hash {
    std::size_t operator()(const Key& key) const { return key.a; }
};

// The table on the rows that are left: every column is 0 in the first row, has two rows at least on
// both sides, and occurs once.
struct Frame {
    int rows = 0, words = 0, columns = 0;
    std::vector<Word> bits;
    std::vector<int> ones;
    Key key;
    const Word* column(int x) const { return bits.data() + static_cast<std::size_t>(x) * words; }

    // Take `columns` raw columns that lie in `bits`.
    void settle(int raw, std::vector<std::int32_t>& slots) {
        const Word last = rows % 64 ? (Word{1} << rows % 64) - 1 : ~Word{0};
        std::size_t size = 8;
        while (size < 2u * raw) size *= 2;
        slots.assign(size, -1);
        ones.clear();
        columns = 0;
        key = {};
        std::vector<Word>& hashes = hashes_;
        hashes.clear();
        for (int z = 0; z < raw; ++z) {
            Word* from = bits.data() + static_cast<std::size_t>(z) * words;
            Word* to = bits.data() + static_cast<std::size_t>(columns) * words;
            const Word flip = from[0] & 1 ? ~Word{0} : 0;
            Word a = 0x9E3779B97F4A7C15, b = a;
            int count = 0;
            for (int w = 0; w < words; ++w) {
                const Word word = (from[w] ^ flip) & (w + 1 == words ? last : ~Word{0});
                to[w] = word;
                count += __builtin_popcountll(word);
                a = (a ^ word) * 0xBF58476D1CE4E5B9, a ^= a >> 32;
                b = (b + word) * 0x94D049BB133111EB, b ^= b >> 29;
            }
            if (std::min(count, rows - count) < 2) continue;
            std::size_t place = a >> 7 & (size - 1);
            for (; slots[place] >= 0; place = (place + 1) & (size - 1))
                if (hashes[slots[place]] == a && std::equal(to, to + words, column(slots[place]))) break;
            if (slots[place] >= 0) continue;
            slots[place] = columns++;
            hashes.push_back(a);
            ones.push_back(count);
            key.a += mix(a ^ 0xC2B2AE3D27D4EB4F);
            key.b += mix(b ^ 0x9E3779B97F4A7C15);
        }
        key.a = mix(key.a ^ mix(rows));
        key.b = mix(key.b + mix(columns));
    }

private:
    std::vector<Word> hashes_;
};

class Search {
public:
    Search(const Word* rows, long count, int wide, int columns) {
        frames_.resize(2);
        Frame& root = frames_[0];
        root.rows = static_cast<int>(count);
        root.words = static_cast<int>((count + 63) / 64);
        root.bits.assign(static_cast<std::size_t>(root.words) * columns, 0);
        for (long h = 0; h < count; ++h)
            for (int x = 0; x < columns; ++x)
                root.bits[static_cast<std::size_t>(x) * root.words + h / 64] |=
                    (rows[h * wide + x / 64] >> x % 64 & 1) << h % 64;
        root.settle(columns, slots_);
        while (frames_.size() < 66) frames_.emplace_back();
    }

    int dimension() {
        int k = 0;
        while (at_least(0, k + 1)) ++k;
        return k;
    }

private:
    struct Bounds {
        std::uint8_t lower = 0, upper = 255;
    };
    struct Candidate {
        int column;
        bool dead[2] = {false, false};
    };

    void restrict(int depth, int x, int side) {
        const Frame& frame = frames_[depth];
        Frame& child = frames_[depth + 1];
        const Word last = frame.rows % 64 ? (Word{1} << frame.rows % 64) - 1 : ~Word{0};
        mask_.resize(frame.words);
        for (int w = 0; w < frame.words; ++w) mask_[w] = frame.column(x)[w] ^ (side ? 0 : ~Word{0});
        mask_.back() &= last;
        child.rows = side ? frame.ones[x] : frame.rows - frame.ones[x];
        child.words = (child.rows + 63) / 64;
        child.bits.resize(static_cast<std::size_t>(child.words) * frame.columns);
        Word* to = child.bits.data();
        for (int z = 0; z < frame.columns; ++z) {
            const Word* from = frame.column(z);
            Word pending = 0;
            int filled = 0;
            for (int w = 0; w < frame.words; ++w) {
                const int n = __builtin_popcountll(mask_[w]);
                if (n == 0) continue;
                const Word word = extract(from[w], mask_[w]);
                pending |= word << filled;
                filled += n;
                if (filled >= 64) {
                    *to++ = pending;
                    filled -= 64;
                    pending = filled ? word >> (n - filled) : 0;
                }
            }
            if (filled) *to++ = pending;
        }
        child.settle(frame.columns, slots_);
    }

    bool at_least(int depth, int k) {
        const Frame& frame = frames_[depth];
        if (frame.rows < 1L << k) return false;
        if (k <= 1) return true;
        if (k == 2) return frame.columns > 0;
        const Bounds known = table_[frame.key];
        if (known.lower >= k) return true;
        if (known.upper < k) return false;
        const bool answer = search(depth, k);
        Bounds& bounds = table_[frame.key];
        if (answer)
            bounds.lower = std::max<std::uint8_t>(bounds.lower, k);
        else
            bounds.upper = std::min<std::uint8_t>(bounds.upper, k - 1);
        return answer;
    }

    bool search(int depth, int k) {
        const Frame& frame = frames_[depth];
        const int half = 1 << (k - 1), quarter = 1 << (k - 2);
        const auto minority = [&](int x) { return std::min(frame.ones[x], frame.rows - frame.ones[x]); };
        std::vector<int> usable;
        for (int x = 0; x < frame.columns; ++x)
            if (minority(x) >= quarter) usable.push_back(x);
        std::stable_sort(usable.begin(), usable.end(),
                         [&](int x, int y) { return minority(x) > minority(y); });
        std::vector<Candidate> tried;
        for (const int x : usable) {
            if (minority(x) < half) break;
            if (inside(frame, tried, x)) continue;
            const int size[2] = {frame.rows - frame.ones[x], frame.ones[x]};
            int alive[2] = {0, 0};
            for (std::size_t j = 0; j < usable.size(); j += 4) {
                const Word* four[4];
                int both[4];
                for (int i = 0; i < 4; ++i)
                    four[i] = frame.column(usable[std::min(j + i, usable.size() - 1)]);
                common_of_four(frame.column(x), four, frame.words, both);
                for (int i = 0; i < 4 && j + i < usable.size(); ++i) {
                    const int others = frame.ones[usable[j + i]] - both[i];
                    alive[1] += both[i] >= quarter && size[1] - both[i] >= quarter;
                    alive[0] += others >= quarter && size[0] - others >= quarter;
                }
            }
            Candidate candidate{x};
            for (int side = 0; side < 2; ++side) candidate.dead[side] = alive[side] == 0;
            if (!candidate.dead[0] && !candidate.dead[1]) {
                if (k == 3) return true;  // both sides have a column with two rows on both sides
                const long cost[2] = {1L * alive[0] * size[0], 1L * alive[1] * size[1]};
                const int first = cost[1] <= cost[0];
                for (const int side : {first, 1 - first}) {
                    restrict(depth, x, side);
                    if (!at_least(depth + 1, k - 1)) {
                        candidate.dead[side] = true;
                        break;
                    }
                }
                if (!candidate.dead[0] && !candidate.dead[1]) return true;
            }
            tried.push_back(candidate);
        }
        return false;
    }

    // Whether a side of x lies in a side that was refuted here.
    static bool inside(const Frame& frame, const std::vector<Candidate>& tried, int x) {
        for (const Candidate& candidate : tried) {
            const int other = frame.ones[candidate.column], ones = frame.ones[x];
            const int both = common(frame.column(candidate.column), frame.column(x), frame.words);
            if (candidate.dead[1] && (both == ones || other - both == frame.rows - ones)) return true;
            if (candidate.dead[0] && (both == 0 || both == other)) return true;
        }
        return false;
    }

    std::vector<Frame> frames_;
    std::unordered_map<Key, Bounds, Hash> table_;
    std::vector<Word> mask_;
    std::vector<std::int32_t> slots_;
};

}  // namespace

// The dimension of a table with `count` distinct rows of `wide` words and so many columns.
extern "C" int plain_dimension(const Word* rows, long count, int wide, int columns) {
    return Search(rows, count, wide, columns).dimension();
}
