// Exact counts of hypotheses by their errors, for the classes whose hypotheses are too many to list.
//
// Each function adds to `found[e]` the number of hypotheses with e errors. The classes compute the
// declared bounds of every index before they call. The functions check the shapes of the arrays; nothing
// checks an index again.
#pragma once

#include "views.hpp"

namespace littlestone {

// Add counts[p] to the cell of record p in the table of each subset of columns. Subset s holds the
// columns subsets[s]; its cell is number starts[s] + labels[p] + the sum of the record's codes times
// strides[s]. codes[j] are the codes of column j.
void count_cells(Grid<const std::uint16_t> codes, List<const std::int32_t> labels,
                 List<const std::int64_t> counts, Grid<const std::int64_t> subsets,
                 Grid<const std::int32_t> strides, List<const std::int64_t> starts,
                 List<std::int64_t> found);

// Count the boxes in a product of two or more columns of these `sizes`, without the empty box.
// `weights` has the weight of each point, the last column changing fastest; a box has `base` errors
// plus the weights of its points.
void count_boxes(List<const std::int32_t> weights, List<const std::int64_t> sizes, Index base,
                 List<std::int64_t> found);

// A table of the operations of a finite field with q elements.
struct Field {
    Grid<const std::uint16_t> product, minus;
    Index size() const { return product.rows; }
};

// Points of an affine space, a coordinate in each row, and what each weighs.
struct WeightedPoints {
    Grid<const std::uint16_t> coordinates;
    List<const std::int64_t> weights;
};

// The flats whose direction space has these pivots.
//
// A direction space W is in reduced echelon form; its entries in the `free` columns to the right of a
// pivot are the digits of its number. Every coset of W is a flat: the coset of a point is the number
// whose digits are its coordinates modulo W in the free columns.
struct Flats {
    Field field;
    WeightedPoints points, infinity;
    List<const std::int64_t> pivots, free;
};

// Count those whose direction space is number first, ..., last - 1. A flat has `base` errors, plus the
// weights of its points, plus those of the points at infinity that lie in W.
void count_flats(const Flats& flats, Index first, Index last, Index base, List<std::int64_t> found);

// For each row of cells: count the functions of few columns by the sum of their cells, less `low`.
// Bit c of a function says whether cell c is in the sum.
void count_juntas(Grid<const std::int64_t> weights, List<const std::int64_t> functions, Index low,
                  List<std::int64_t> found);

// Count the decision lists on each subcube by their errors there.
//
// A subcube is a number to the base 3 with a digit for each column: 0 if it is free, 1 or 2 if it is
// fixed. counts[y][s] are the records of label y in subcube s. found[b][starts[s] + e] becomes the
// number of lists whose first block says b and that make e errors in s; `found` begins with zeros.
// Lists of no literal or of one are not among them: such a list has two forms, so the caller adds them.
void count_lists(Index columns, Grid<const std::int64_t> counts, List<const std::int64_t> starts,
                 Grid<std::int64_t> found);

}  // namespace littlestone
