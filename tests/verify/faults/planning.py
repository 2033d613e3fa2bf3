"""Faults that turn the rows of `verify/planning.py` red."""

from __future__ import annotations

from faults import STEEP
from planting import Fault

FAULTS: dict[str, list[Fault]] = {
    "one_point": [STEEP],
    "tournaments_stated": [
        Fault(
            "littlestone.planning.formulas:formulas",
            "16.0**d * d**2 * (d + rare) / (epsilon * alpha),",
            "8.0**d * d**2 * (d + rare) / (epsilon * alpha),",
            "8^d for 16^d",
        ),
        Fault(
            "littlestone.learners.stable.sizes:paper_sizes",
            "8 ** (d + 1)",
            "16 ** (d + 1)",
            "a tournament may draw 2^(d + 1) times as much",
        ),
    ],
    "ggkm_stated": [
        Fault(
            "littlestone.planning.formulas:formulas",
            "d**6 * inside**2 / (epsilon * alpha**2))\n",
            "d**3 * inside**2 / (epsilon * alpha**2))\n",
            "d^3 for d^6",
        ),
        Fault(
            "littlestone.planning.formulas:formulas",
            "d**6 * inside**2 / (epsilon * alpha**2))\n",
            "d**6 * inside**2 / epsilon)\n",
            "no alpha",
        ),
    ],
}
NOT_YET = {
    "sizes_above",
    "one_point",
    "indistinct_bits",
}
