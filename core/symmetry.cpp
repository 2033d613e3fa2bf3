#include "symmetry.hpp"

#include <algorithm>

#include "vectors.hpp"

namespace littlestone {
namespace {

constexpr std::size_t TRIES = 3;  // choices at one place
constexpr std::size_t SHORT = 8;  // literals that are chosen before it counts as a failure that there are more
constexpr Index TALL = 2048;      // rows from which on eight entries of narrow rows are read at once
constexpr Index NARROW = 128;     // columns
constexpr Index SPARSE = 6;       // with fewer than one 1 in so many entries the ones are visited

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

Symmetries::Symmetries(Grid<const Word> rows, Index points) : rows_(rows), points_(points) {
    Index ones = 0;
    for (Index i = 0; i < rows.rows * rows.columns; ++i) ones += count_ones(rows.data[i]);
    together_ = ones * SPARSE < rows.rows * points ? 1
                : rows.rows >= TALL && points <= NARROW ? 8
                                                        : 4;
    by_row_.resize(rows.rows);
    by_literal_.resize(2 * points), finer_.resize(2 * points);
    sums_.resize((points / together_ + 1) << together_);
}

// Visit the places of the sums that a row adds up: with eight entries together there are 256 places for
// every eight entries, one for each value that they can have.
template <class Visit>
void Symmetries::visit_sums(const Word* row, Visit visit) const {
    if (together_ == 1) {
        for (Index w = 0; w < rows_.columns; ++w)
            for (Word word = row[w]; word != 0; word &= word - 1) visit(2 * (64 * w + lowest_one(word)) + 1);
        return;
    }
    const auto every = [&](auto bits) {
        constexpr int B = decltype(bits)::value;
        for (Index x = 0, place = 0; x < points_; ++row) {
            Word word = *row;
            for (const Index last = std::min(points_, x + 64); x < last; x += B, word >>= B, place += 1 << B)
                visit(place + static_cast<Index>(word & ((1 << B) - 1)));
        }
    };
    if (together_ == 8)
        every(std::integral_constant<int, 8>());
    else
        every(std::integral_constant<int, 4>());
}

// The sum of each row's literals.
void Symmetries::sum_rows(const Words& weights, Words& found) {
    const Index values = Index{1} << together_;
    Word zeros = 0;
    for (Index x = 0; x < points_; ++x) zeros += weights[2 * x];
    for (Index x = 0; x < points_; x += together_) {
        Word* sums = &sums_[x / together_ * values];
        sums[0] = 0;
        for (Index b = 0; b < together_; ++b) {
            const Word one = x + b < points_ ? weights[2 * (x + b) + 1] - weights[2 * (x + b)] : 0;
            for (Index v = 0; v < Index{1} << b; ++v) sums[v + (Index{1} << b)] = sums[v] + one;
        }
    }
    for (Index i = 0; i < rows_.rows; ++i) {
        Word total = zeros;
        visit_sums(rows_[i], [&](Index place) { total += sums_[place]; });
        found[i] = total;
    }
}

// The sum of the weights of the rows that have each literal.
void Symmetries::sum_literals(const Words& weights, Words& found) {
    const Index values = Index{1} << together_;
    Word all = 0;
    std::fill(sums_.begin(), sums_.end(), 0);
    for (Index i = 0; i < rows_.rows; ++i) {
        all += weights[i];
        visit_sums(rows_[i], [&, weight = weights[i]](Index place) { sums_[place] += weight; });
    }
    for (Index x = 0; x < points_; x += together_) {
        Word* sums = &sums_[x / together_ * values];
        for (Index b = together_ - 1; b >= 0; --b) {  // the values with bit b, and then those without it
            Word ones = 0;
            for (Index v = 0; v < Index{1} << b; ++v) {
                ones += sums[v + (Index{1} << b)];
                sums[v] += sums[v + (Index{1} << b)];
            }
            if (x + b < points_) found[2 * (x + b)] = all - ones, found[2 * (x + b) + 1] = ones;
        }
    }
}

// Colours that tell apart what these do and, again and again, what lies in other rows.  They depend on the
// table and on the colours alone, not on the order of points, labels or rows.  Returns after how many
// rounds nothing new was told apart; so many are done if ``rounds`` says it.
Index Symmetries::refine(Words& colours, Index rounds) {
    Index cells = 0;
    for (Index done = 0; rounds == 0 || done < rounds; ++done) {
        sum_rows(colours, by_row_);
        for (Word& sum : by_row_) sum = mix(sum);
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
        sum_rows(weights_, by_row_);
        clear_slots(named_, rows_.rows);
        for (Index i = 0; i < rows_.rows; ++i) slot_of(named_, by_row_[i]) = {by_row_[i], i};
    }
    for (Index a = 0; a < 2 * points_; ++a) finer_[a] = weights_[image[a]];
    sum_rows(finer_, by_row_);
    // Row i goes to row match[i], as the comparison shows.  Images of distinct rows are distinct, so the
    // rows that they equal are, too.
    std::vector<Index> match;
    for (Index i = 0; i < rows_.rows; ++i) {
        match.push_back(slot_of(named_, by_row_[i]).second);
        if (match.back() < 0) return false;
    }
    // Of 64 rows, and of those they go to, the columns.
    Words from(64 * rows_.columns + 256), to(from.size());
    Block block;
    const auto transpose = [&](Words& columns, Index first, const Index* rows) {
        for (Index b = 0; b < rows_.columns; b += 4) {
            const Index width = std::min<Index>(4, rows_.columns - b);
            for (int r = 0; r < 64; ++r)
                for (Index i = 0; i < 4; ++i) {
                    const Index row = std::min(first + r, rows_.rows - 1);
                    block.row(r)[i] = i < width ? rows_[rows ? rows[row] : row][b + i] : 0;
                }
            block.transpose();
            for (Index i = 0; i < width; ++i)
                for (int c = 0; c < 64; ++c) columns[64 * (b + i) + c] = block.row(c)[i];
        }
    };
    for (Index first = 0; first < rows_.rows; first += 64) {
        transpose(from, first, nullptr);
        transpose(to, first, match.data());
        for (Index x = 0; x < points_; ++x)
            if (to[image[2 * x] >> 1] != (from[x] ^ (image[2 * x] & 1 ? ALL : 0))) return false;
    }
    return true;
}

}  // namespace littlestone
