// Sums over the rows of a table, four entries at a time, and the check of a symmetry.
//
// Rows are packed, 64 entries to a word. The tables of sums have 16 entries for every four columns:
// the sum over the ones of each value that four entries can have. Sums are modulo 2^64.
#pragma once

#include "bits.hpp"
#include "views.hpp"

namespace littlestone {

// The sum of each row, from the sums of the values of every four entries.
void sum_rows(Grid<const Word> rows, List<const Word> sums, List<Word> found);

// Add the weight of each row to the sums of the values of its every four entries.
void sum_values(Grid<const Word> rows, List<const Word> weights, List<Word> found);

// Whether a permutation of literals takes each row i to row match[i]. Literal 2 x + b says that entry
// x is b; the permutation takes it to image[2 x + b].
bool takes_rows(Grid<const Word> rows, List<const Index> image, List<const Index> match);

}  // namespace littlestone
