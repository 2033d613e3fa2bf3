#include "symmetry.hpp"

#include <algorithm>

#include "vectors.hpp"

namespace littlestone {
namespace {

constexpr std::size_t TRIES = 3;  // choices at one place
constexpr std::size_t SHORT = 8;  // literals that are chosen before it counts as a failure that there are more
constexpr int PLANES = 8;         // bits of a weight

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

Word hash_of(const Word* words, Index count) {
    Word hash = ODD[0];
    for (Index w = 0; w < count; ++w) hash = mix(hash ^ words[w]);
    return hash;
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

void require_literals(Index image, Index points) {
    require(image == 2 * points, "an image has two literals for each point");
}

}  // namespace

Symmetries::Symmetries(Grid<const Word> rows, Index points)
    : rows_(rows), points_(points), stride_(words_of(require_rows(rows, points))) {
    columns_.resize(64 * rows.columns * stride_);
    for (Index g = 0; g < stride_; ++g)
        for (Index w = 0; w < rows.columns; w += 4)
            Block::transpose(
                [&](int i, int b) {
                    const Index row = 64 * g + i;
                    return row < rows.rows && w + b < rows.columns ? rows[row][w + b] : 0;
                },
                [&](int c, int b, Word word) {
                    if (w + b < rows.columns) columns_[(64 * (w + b) + c) * stride_ + g] = word;
                });
    by_row_.resize(rows.rows), by_point_.resize(points);
    finer_.resize(2 * points);
}

// Take over what each entry weighs.  The weights of 64 entries lie by bits, a plane for each, so that one
// instruction counts many of them.
template <class Weight>
void Symmetries::set_weights(Index entries, Weight weight) {
    planes_.assign(PLANES * ((entries + 63) / 64), 0);
    for (Index first = 0; first < entries; first += 256)
        Block::transpose(
            [&](int i, int b) {
                const Index entry = first + 64 * b + i;
                return entry < entries ? weight(entry) : 0;
            },
            [&](int p, int b, Word plane) {
                if (p < PLANES && first + 64 * b < entries) planes_[PLANES * (first / 64 + b) + p] = plane;
            });
}

// Add up what the ones of each set weigh.
void Symmetries::add_weights(Grid<const Word> sets, Words& found) const {
    for (Index i = 0; i < sets.rows; ++i) {
        Word ones[PLANES] = {}, sum = 0;
        for (Index w = 0; w < sets.columns; ++w)
            for (int p = 0; p < PLANES; ++p)
                ones[p] += static_cast<Word>(std::popcount(sets[i][w] & planes_[PLANES * w + p]));
        for (int p = 0; p < PLANES; ++p) sum += ones[p] << p;
        found[i] = sum;
    }
}

// Colours that tell apart what these do and, again and again, what lies in other rows.  They depend on the
// table and on the colours alone, not on the order of points, labels or rows.  Returns after how many
// rounds nothing new was told apart; so many are done if ``rounds`` says it.
Index Symmetries::refine(Words& colours, Index rounds) {
    Index cells = 0;
    for (Index done = 0; rounds == 0 || done < rounds; ++done) {
        // A few bits of a colour do: what they leave together the next rounds tell apart.  A row's sum of
        // them is that of its zeros' colours and of what changes at its ones.
        Word zeros = 0, all = 0;
        for (Index x = 0; x < points_; ++x) zeros += colours[2 * x];
        set_weights(points_, [&](Index x) { return colours[2 * x + 1] - colours[2 * x]; });
        add_weights(rows_, by_row_);
        for (Word& sum : by_row_) {  // no row weighs nothing, so that the numbers of rows count, too
            sum = mix((zeros + sum) << (64 - PLANES)) >> (64 - PLANES) | 1;
            all += sum;
        }
        set_weights(rows_.rows, [&](Index i) { return by_row_[i]; });
        add_weights({columns_.data(), points_, stride_}, by_point_);
        for (Index a = 0; a < 2 * points_; ++a) {
            const Word weight = a & 1 ? by_point_[a >> 1] : all - by_point_[a >> 1];
            finer_[a] = mix(mix(colours[a]) * ODD[0] + colours[a ^ 1] * ODD[1] + weight * ODD[2]);
        }
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

Answer Symmetries::suggest(List<Index> image) {
    require_literals(image.size, points_);
    if (!complete_ && !choose_path()) return Answer::no;
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
            return Answer::no;
        }
        colours_.swap(colours);
        members_.clear();
        if (++depth_ < path_.size()) continue;
        const std::vector<Index> leaf = in_order(colours_);
        start_again();
        if (leaf == leaf_) continue;  // the identity
        for (Index a = 0; a < 2 * points_; ++a) image[leaf_[a]] = leaf[a];
        return Answer::yes;
    }
    return Answer::stopped;
}

bool Symmetries::is_symmetry(List<const Index> image) {
    require_literals(image.size, points_);
    std::vector<Index> from(points_, -1);  // 2 x + b: a column of the images is that of x, and other if b = 1
    for (Index x = 0; x < points_; ++x) {
        const Index to = image[2 * x];
        if (to < 0 || to >= 2 * points_ || image[2 * x + 1] != (to ^ 1) || from[to >> 1] >= 0) return false;
        from[to >> 1] = 2 * x + (to & 1);
    }
    const Index words = rows_.columns;
    if (named_.empty()) {
        clear_slots(named_, rows_.rows);
        for (Index i = 0; i < rows_.rows; ++i) {
            const Word hash = hash_of(rows_[i], words);
            slot_of(named_, hash) = {hash, i};
        }
    }
    // Each image is a row, as the comparison shows.  Images of distinct rows are distinct.
    Words images(64 * words);
    for (Index g = 0; g < stride_; ++g) {
        for (Index w = 0; w < words; w += 4)
            Block::transpose(
                [&](int c, int b) {
                    const Index y = 64 * (w + b) + c;
                    return y < points_ ? columns_[(from[y] >> 1) * stride_ + g] ^ (from[y] & 1 ? ALL : 0) : 0;
                },
                [&](int i, int b, Word word) {
                    if (w + b < words) images[i * words + w + b] = word;
                });
        for (Index i = 0; i < std::min<Index>(64, rows_.rows - 64 * g); ++i) {
            const Word* row = &images[i * words];
            const Index match = slot_of(named_, hash_of(row, words)).second;
            if (match < 0 || !std::equal(row, row + words, rows_[match])) return false;
        }
    }
    return true;
}

}  // namespace littlestone
