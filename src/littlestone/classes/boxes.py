"""Axis-parallel boxes over several grids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

from littlestone.classes.dimensions import closed_forms
from littlestone.classes.promises.counted import CountedBoxes, box_rows, boxes_on
from littlestone.classes.promises.tabled import LIMIT, TableClass, require_table
from littlestone.classes.text.spec import Spec, grid_text, parse_grids, require_grids
from littlestone.points import Grid, Product


@dataclass(frozen=True)
class Boxes(TableClass):
    """The functions 1[a_j <= x_j <= b_j for all columns j], and the constant 0 (the empty box).

    The class is a table of prod m_j (m_j + 1) / 2 + 1 functions on prod m_j points.  It may have at
    most 2^24 entries, such as two columns of 16 values or four of 4.  Up to 2^32 boxes are
    `CountedBoxes`, without version spaces.  `Intervals` has one column and no such limit.

    >>> H = Boxes.over([Grid(0, 3, "row"), Grid(0, 3, "column")])
    >>> H.size, H.littlestone_dimension()
    (101, 6)
    """

    keyword = "boxes"
    group = "ranges"
    typical = "boxes(age 0..120, income 0..200000)"

    @classmethod
    def over(cls, grids: Sequence[Grid]) -> Self:
        """All boxes on the product of the grids."""
        require_grids(grids, cls.__name__)
        domain = Product(tuple(grids))
        declared = f"boxes({', '.join(map(grid_text, grids))})"
        sizes = [grid.size for grid in grids]
        require_table(declared, boxes_on(sizes) + 1, prod(sizes))
        return cls.of_rows(domain, box_rows(sizes), declared)

    @property
    def closed_form(self) -> int | None:
        """The dimension of conjunctions if no range has more than two points."""
        return closed_forms.two_point_boxes([grid.size for grid in self.domain.columns])

    @classmethod
    def parse(cls, spec: Spec) -> Any:
        grids = parse_grids(spec)
        points = prod(grid.size for grid in grids)
        if (boxes_on([grid.size for grid in grids]) + 1) * points <= LIMIT:
            return cls.over(grids)
        return CountedBoxes(Product(tuple(grids)), f"boxes({', '.join(map(grid_text, grids))})")

    @classmethod
    def examples(cls) -> list[Self]:
        x, y, z = Grid(0, 2, "x"), Grid(-1, 1, "y"), Grid(0, 1, "z")
        return [cls.over(grids) for grids in ([x], [x, y], [x, z], [z, Grid(5, 5, "w"), y])]
