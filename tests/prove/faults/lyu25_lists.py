"""Faults that turn the rows of `prove/papers/lyu25_lists.py` red."""

from __future__ import annotations

from planting import Fault

LISTED = "littlestone.learn.papers.irreducible:IrreducibleLearner.hypotheses_of_teacher"
PROPER = "littlestone.learn.papers.proper:ProperLearner"
FAULTS: dict[str, list[Fault]] = {
    "one_rule_on_all_lists": [
        Fault(LISTED, "scale=2**s", "scale=1", "p is never doubled"),
    ],
    "on_a_fixed_data_set": [
        Fault(LISTED, "int(self.alpha * chunk.n)", "chunk.n", "rules of any error are listed"),
    ],
    "proper_as_a_whole": [
        Fault(
            f"{PROPER}.draw",
            "near = self.near(self.improper.draw(rest, receipt=receipt))",
            "near = self.near((self.improper.draw(rest, receipt=receipt), self.hypotheses.soa())[1])",
            "the choice is among hypotheses near the SOA of H",
        ),
    ],
}
