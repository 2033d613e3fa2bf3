"""Faults that turn the row of `prove/papers/regret.py` red."""

from __future__ import annotations

from planting import Fault

POP = "littlestone.learn.papers.boxes.lyu25:private_online_procedure"
FAULTS: dict[str, list[Fault]] = {
    "others_are_told_little": [
        Fault(
            POP,
            "copies - Counter([A]) + Counter([A if after.is_empty() else after])",
            "Counter({A if after.is_empty() else after: k})",
            "all copies learn a record",
        ),
        Fault(
            POP,
            "reaches(uncertain, Fraction(r), epsilon_count, choose)",
            "uncertain >= r",
            "uncertain votes are counted without noise",
        ),
    ],
}
