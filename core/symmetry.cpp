#include "symmetry.hpp"

#include <algorithm>

#include "vectors.hpp"

namespace littlestone {
namespace {

constexpr std::size_t TRIES = 3;  // choices at one place
constexpr std::size_t SHORT = 8;  // literals that are chosen before it counts as a failure that there are more
constexpr int PLANES = 8;         // bits of weights that are added up together
constexpr Index NARROW = 2;       // words of a row up to which its entries are looked up by eights

// The slot of a word in a hash table of which half is free; 0 is in none.
std::pair<Word, Index>& slot_of(std::vector<std::pair<Word, Index>>& slots, Word word) {
    std::size_t i = word >> 7 & (slots.size() - 1);
    while (slots[i].first != 0 && slots[i].first != word) i = (i + 1) & (slots.size() - 1);
    return slots[i];
}

void clear_slots(std::vector<std::pair<Word, Index>>& slots, Index words) {
    std::size_t size = 8;
    while (size < 2 * static_cast<std::size_t>(words)) size *= 2;
    slots.assign(size, {0, -1});
}

// The same number for the same colours in any order.
Word sum_of(const std::vector<Word>& colours) {
    Word sum = 0;
    for (const Word colour : colours) sum += mix(colour ^ ODD[1]);
    return sum;
}

// Literals in the order of their colours.
std::vector<Index> in_order(const std::vector<Word>& colours) {
    std::vector<std::pair<Word, Index>> found;
    for (const Word colour : colours) found.emplace_back(colour, static_cast<Index>(found.size()));
    std::sort(found.begin(), found.end());
    std::vector<Index> literals;
    for (const auto& [colour, literal] : found) literals.push_back(literal);
    return literals;
}

}  // namespace

Symmetries::Symmetries(Grid<const Word> rows, Index points)
    : rows_(rows), points_(points), stride_((rows.rows + 63) / 64) {
    columns_.resize(64 * rows.columns * stride_);
    for (Index g = 0; g < stride_; ++g)
        transpose(g, [](Index i) { return i; }, [&](Index x) -> Word& { return columns_[x * stride_ + g]; });
    by_row_.resize(rows.rows), ones_.resize(points);
    by_literal_.resize(2 * points), finer_.resize(2 * points);
}

// Write 64 rows by columns: bit i of to(x) is entry x of row source(64 g + i), and 0 where no row is left.
template <class Source, class To>
void Symmetries::transpose(Index g, Source source, To to) const {
    Block block;
    const Index there = std::min<Index>(64, rows_.rows - 64 * g);
    for (Index w = 0; w < rows_.columns; w += 4) {
        const Index width = std::min<Index>(4, rows_.columns - w);
        block = Block();
        for (Index i = 0; i < there; ++i) std::copy_n(rows_[source(64 * g + i)] + w, width, block.row(i));
        block.transpose();
        for (Index b = 0; b < width; ++b)
            for (int c = 0; c < 64; ++c) to(64 * (w + b) + c) = block.row(c)[b];
    }
}

// Add up what the entries of each row weigh: ``weight(x, b)`` if entry x is b, bits ``first`` to
// first + PLANES - 1 of it.  The weights of 64 entries lie by bits, a plane for each, so that one
// instruction counts many of them.
template <class Weight>
void Symmetries::add_weights(Grid<const Word> rows, Index entries, int first, Weight weight, Words& found) {
    struct Planes {
        Word zero[PLANES], flip[PLANES];  // of entries 0; where those of entries 1 differ
    };
    constexpr Index most = OnesCounter::MOST;
    constexpr int V = OnesCounter::WORDS;
    Planes planes[most + 1];
    Block block;
    for (Index begin = 0; begin < rows.columns; begin += most) {
        const Index words = std::min(most, rows.columns - begin);
        for (Index w = 0; w < words; w += 2) {  // a block has room for both weights of two words
            for (Index i = 0; i < 64; ++i)
                for (Index j = 0; j < 4; ++j) {
                    const Index x = 64 * (begin + w + j / 2) + i;
                    block.row(i)[j] = x < entries ? weight(x, j & 1) : 0;
                }
            block.transpose();
            for (int p = 0; p < PLANES; ++p)
                for (const int j : {0, 1}) {
                    const Word* plane = block.row(first + p) + 2 * j;
                    planes[w + j].zero[p] = plane[0], planes[w + j].flip[p] = plane[0] ^ plane[1];
                }
        }
        for (Index r = 0; r < rows.rows; ++r) {
            const Word* row = rows[r] + begin;
            OnesCounter counters[PLANES / V];
            for (Index w = 0; w < words; ++w)
                for (int i = 0; i < PLANES / V; ++i)
                    counters[i].add(load<V>(planes[w].zero + V * i) ^ (load<V>(planes[w].flip + V * i) & row[w]));
            Word sum = 0;
            for (int p = 0; p < PLANES; ++p) sum += counters[p / V].part(p % V) << p;
            found[r] += OnesCounter::whole(sum) << first;
        }
    }
}

// The sum of the weights of each row's literals; in wide rows, of so many bits of them.
void Symmetries::sum_rows(const Words& weights, int bits, Words& found) {
    if (rows_.columns <= NARROW) return look_rows_up(weights, found);
    std::fill(found.begin(), found.end(), 0);
    for (int first = 0; first < bits; first += PLANES)
        add_weights(rows_, points_, first, [&](Index x, int b) { return weights[2 * x + b]; }, found);
}

// The same from the sums of eight entries for each value that they can have.
void Symmetries::look_rows_up(const Words& weights, Words& found) {
    Words sums(256 * ((points_ + 7) / 8));
    for (Index x = 0; x < points_; ++x) {
        Word* of = &sums[x / 8 * 256];
        const Index values = Index{1} << x % 8;  // of the entries before x
        for (Index v = 0; v < values; ++v) {
            of[v + values] = of[v] + weights[2 * x + 1];
            of[v] += weights[2 * x];
        }
    }
    for (Index r = 0; r < rows_.rows; ++r) {
        Word sum = 0;
        for (Index x = 0; x < points_; x += 8) sum += sums[32 * x + (rows_[r][x / 64] >> x % 64 & 255)];
        found[r] = sum;
    }
}

// The sum of the weights of the rows that have each literal; they have PLANES bits.
void Symmetries::sum_literals(const Words& weights, Words& found) {
    Word all = 0;
    for (const Word weight : weights) all += weight;
    std::fill(ones_.begin(), ones_.end(), 0);
    add_weights({columns_.data(), points_, stride_}, rows_.rows, 0,
                [&](Index i, int b) { return b == 1 ? weights[i] : 0; }, ones_);
    for (Index x = 0; x < points_; ++x) found[2 * x] = all - ones_[x], found[2 * x + 1] = ones_[x];
}

// Colours that tell apart what these do and, again and again, what lies in other rows.  They depend on the
// table and on the colours alone, not on the order of points, labels or rows.  Returns after how many
// rounds nothing new was told apart; so many are done if ``rounds`` says it.
Index Symmetries::refine(Words& colours, Index rounds) {
    Index cells = 0;
    for (Index done = 0; rounds == 0 || done < rounds; ++done) {
        // A few bits of a colour do: what they leave together the next rounds tell apart.
        sum_rows(colours, PLANES, by_row_);
        for (Word& sum : by_row_) sum = mix(sum) >> (64 - PLANES);
        sum_literals(by_row_, by_literal_);
        for (Index a = 0; a < 2 * points_; ++a)
            finer_[a] = mix(mix(colours[a]) * ODD[0] + colours[a ^ 1] * ODD[1] + by_literal_[a] * ODD[2]);
        if (rounds == 0) {
            const Index found = largest_cell(finer_).cells;
            if (found == cells) return done;
            cells = found;
        }
        colours.swap(finer_);
        if (cells == 2 * points_) return done + 1;
    }
    return rounds;
}

// The colour that most literals have; the least of several.
Symmetries::Cell Symmetries::largest_cell(const Words& colours) {
    clear_slots(slots_, 2 * points_);
    Cell largest;
    for (const Word colour : colours) {
        auto& [word, size] = slot_of(slots_, colour);
        if (word == 0) word = colour, size = 0, ++largest.cells;
        ++size;
        if (size > largest.size || (size == largest.size && colour < largest.colour))
            largest.size = size, largest.colour = colour;
    }
    return largest;
}

// Choose literals until all cells are single; false if there are many, before the last.
bool Symmetries::choose_path() {
    if (first_.empty()) {
        first_.assign(2 * points_, 1);
        refine(first_);
        colours_ = first_;
    }
    for (Cell cell; (cell = largest_cell(colours_)).size > 1;) {
        *std::find(colours_.begin(), colours_.end(), cell.colour) = mix(cell.colour + 1);
        const Index rounds = refine(colours_);
        path_.push_back({cell.colour, rounds, sum_of(colours_)});
        if (path_.size() > SHORT) return false;
    }
    leaf_ = in_order(colours_);
    for (const Word colour : first_) hopeful_.push_back(!path_.empty() && colour == path_[0].cell);
    complete_ = true;
    start_again();
    return true;
}

void Symmetries::start_again() {
    depth_ = 0, colours_ = first_;
    members_.clear();
}

Suggestion Symmetries::suggest(List<Index> image) {
    if (!complete_ && !choose_path()) return Suggestion::failure;
    // Other choices from the same cells that lead to the same colours suggest a symmetry.
    while (std::count(hopeful_.begin(), hopeful_.end(), Word{1}) > 1) {
        const Chosen& chosen = path_[depth_];
        if (members_.empty()) {
            for (Index a = 0; a < 2 * points_; ++a)
                if (colours_[a] == chosen.cell && (depth_ > 0 || hopeful_[a] != 0)) members_.push_back(a);
            for (std::size_t i = 0; i < std::min(TRIES, members_.size()); ++i)
                std::swap(members_[i], members_[i + mix(state_ += ODD[0]) % (members_.size() - i)]);
            tried_ = 0;
        }
        if (tried_ == std::min(TRIES, members_.size())) {
            start_again();
            continue;
        }
        const Index member = members_[tried_++];
        Words colours = colours_;
        colours[member] = mix(colours[member] + 1);
        refine(colours, chosen.rounds);
        if (sum_of(colours) != chosen.after) {
            if (depth_ == 0) hopeful_[member] = 0;
            return Suggestion::failure;
        }
        colours_.swap(colours);
        members_.clear();
        if (++depth_ < path_.size()) continue;
        const std::vector<Index> leaf = in_order(colours_);
        start_again();
        if (leaf == leaf_) continue;  // the identity
        for (Index a = 0; a < 2 * points_; ++a) image[leaf_[a]] = leaf[a];
        return Suggestion::image;
    }
    return Suggestion::over;
}

bool Symmetries::is_symmetry(List<const Index> image) {
    std::vector<bool> met(points_);
    for (Index x = 0; x < points_; ++x) {
        const Index to = image[2 * x];
        if (to < 0 || to >= 2 * points_ || image[2 * x + 1] != (to ^ 1) || met[to >> 1]) return false;
        met[to >> 1] = true;
    }
    if (weights_.empty()) {
        Word seed = 64;
        for (Index a = 0; a < 2 * points_; ++a) weights_.push_back(mix(seed += ODD[0]));
        sum_rows(weights_, 64, by_row_);
        clear_slots(named_, rows_.rows);
        for (Index i = 0; i < rows_.rows; ++i) slot_of(named_, by_row_[i]) = {by_row_[i], i};
    }
    for (Index a = 0; a < 2 * points_; ++a) finer_[a] = weights_[image[a]];
    sum_rows(finer_, 64, by_row_);
    // Row i goes to row match[i], as the comparison shows.  Images of distinct rows are distinct, so the
    // rows that they equal are, too.
    std::vector<Index> match;
    for (Index i = 0; i < rows_.rows; ++i) {
        match.push_back(slot_of(named_, by_row_[i]).second);
        if (match.back() < 0) return false;
    }
    // Of 64 rows, and of those they go to, the columns.
    Words to(64 * rows_.columns);
    for (Index g = 0; g < stride_; ++g) {
        transpose(g, [&](Index i) { return match[i]; }, [&](Index x) -> Word& { return to[x]; });
        const Word there = g + 1 == stride_ ? last_word(static_cast<int>(rows_.rows & 63)) : ALL;
        for (Index x = 0; x < points_; ++x) {
            const Word from = columns_[x * stride_ + g] ^ (image[2 * x] & 1 ? ALL : 0);
            if (((to[image[2 * x] >> 1] ^ from) & there) != 0) return false;
        }
    }
    return true;
}

}  // namespace littlestone
