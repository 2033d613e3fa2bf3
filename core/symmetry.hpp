// Symmetries of a table: how they are found, and how they are checked.
//
// Literal 2 x + b says that entry x of a row is b.  A symmetry is a permutation of the literals that takes
// the two of a point to the two of a point, and the rows to the rows.
#pragma once

#include <vector>

#include "views.hpp"
#include "words.hpp"

namespace littlestone {

// Colours of the literals are refined until each has one of its own, twice: McKay and Piperno, "Practical
// graph isomorphism, II" (2014).  What the colours suggest must be checked.
class Symmetries {
public:
    // Rows are packed, 64 entries to a word.  They are read as long as symmetries are looked for.
    Symmetries(Grid<const Word> rows, Index points);

    // Write an image of the literals that may be a symmetry, and not the identity.  The answer is `no` if the
    // attempt failed, and `stopped` if there are no more.
    Answer suggest(List<Index> image);

    // Whether an image is a symmetry.  The time is linear in the entries.  A hash says only which row to
    // compare the image of a row with.  So two rows of one hash may lead to a wrong no, but nothing leads
    // to a wrong yes.
    bool is_symmetry(List<const Index> image);

private:
    using Words = std::vector<Word>;
    struct Chosen {
        Word cell;     // the colour of which one literal was chosen
        Index rounds;  // until nothing new was told apart
        Word after;    // stands for the colours that follow, in any order
    };
    struct Cell {
        Word colour = 0;
        Index size = 0, cells = 0;  // literals of that colour; how many colours there are
    };

    template <class Weight>
    void set_weights(Index entries, Weight weight);
    void add_weights(Grid<const Word> sets, Words& found) const;
    Index refine(Words& colours, Index rounds = 0);
    Cell largest_cell(const Words& colours);
    bool choose_path();
    void start_again();

    const Grid<const Word> rows_;
    const Index points_;
    const Index stride_;        // words of a column
    Words columns_;             // the rows, transposed
    Words planes_;              // of weights
    Words by_row_, by_point_, finer_;            // scratch
    std::vector<std::pair<Word, Index>> slots_;  // hash table of colours

    Words first_, colours_;     // refined alone; as they are now
    std::vector<Chosen> path_;  // until all cells are single
    std::vector<Index> leaf_;   // literals in the order of the colours at its end
    bool complete_ = false;
    Words hopeful_;             // the literals that may be the image of the first chosen one
    std::size_t depth_ = 0;     // of the attempt to take another path with the same colours
    std::vector<Index> members_;  // of the cell there, in the order in which they are tried
    std::size_t tried_ = 0;
    Word state_ = 7;            // of random numbers

    std::vector<std::pair<Word, Index>> named_;  // hash table of the rows
};

}  // namespace littlestone
