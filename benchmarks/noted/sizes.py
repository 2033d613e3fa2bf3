"""Records and mistakes for the documented examples, and the map of what each class costs."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

from benchmarks.noted.words import Values, powered, share, table, whole
from littlestone.classes import parse_class
from littlestone.errors import TooLargeError
from littlestone.learners.online import KeyLearner, StagedOnlineLearner
from littlestone.learners.stable.sizes import stability
from littlestone.planning import Plan, Row, Stated, plan, stream_formulas
from littlestone.privacy import Budget

PAIRS, OUTCOMES = "subsets(x; at most 2)", "outcomes(origin, dest; at most 1)"
ALPHA, BETA, STEPS = 0.1, 0.05, 200_000
BUDGET = Budget(1, "1e-6")
MAP = Path(__file__).parents[2] / "docs" / "benchmarks" / "affordability.md"

METHODS = {  # of the proved sizes: what they are, and whose
    "globally_stable": "algorithm M of BLM20, with the mended Lemma 12",
    "ggkm": "the learner of GGKM21",
    "staged": "the stages of Lyu25, Theorem 3, with other levels",
    "irreducible": "teachers as there, one draw and no stages",
    "radii": "no teachers: the whole sample lists rules at many radii",
    "partition": "sets of points only",
}
WORST = {  # profiles of `littlestone.planning.calibrated`, in words
    "2 of alpha/2": "two points of probability just above alpha/2 each",
}
SHOWN = [  # classes of the map, and how the note names them
    ("points", "points of an infinite domain"),
    ("subsets of 5", "sets of at most 5 of them"),
    ("subsets of 100", "sets of at most 100 of them"),
    ("thresholds, 1,000 cuts", "thresholds with 1,000 cuts"),
    ("thresholds, 2^60 cuts", "thresholds with 2^60 cuts"),
    ("boxes 24 x 31", "boxes in a grid of 24 by 31"),
    ("conjunctions of 20", "conjunctions of 20 bits"),
    ("parities of 20", "parities of 20 bits"),
    ("affine, GF(101)^3, dim. 2", "affine subspaces of GF(101)^3, dimension at most 2"),
    ("lookup of 5,000", "lookup tables of at most 5,000 keys"),
]


@cache
def pairs() -> Plan:
    """All that is known for sets of at most two points of an infinite domain."""
    return plan(parse_class(PAIRS), BUDGET, alpha=ALPHA, beta=BETA)


def clean(found: Plan) -> list[Stated]:
    """What papers state for labels without errors."""
    return [one for one in found.formulas if one.setting == "realizable"]


def sizes() -> Values:
    """The chain for sets of at most two points: dimension, mistakes, stability, records."""
    found, d = pairs(), 2
    rows = {row.method: row for row in found.rows}
    lower = {bound.learners: whole(bound.n) for bound in found.lower}
    proved = [
        [f"`{name}`", words, whole(size.n), _runs(rows[name], size.n)]
        for name, words in METHODS.items()
        if (size := rows[name].realizable or rows[name].tuned) is not None
    ]
    calibrated = [
        [f"`{row.method}`", whole(known.n), whole(known.runs), WORST[known.worst]]
        for row in found.rows
        if (known := row.calibrated) is not None
    ]
    H = parse_class(PAIRS)
    staged = StagedOnlineLearner(H, BUDGET, horizon=STEPS)
    keys = KeyLearner(H, BUDGET, horizon=STEPS).mistake_bound(BETA)
    (formula,) = stream_formulas(H, BUDGET, horizon=STEPS)
    bound, ours = staged.mistake_bound(BETA), rows["irreducible"]
    assert bound is not None
    assert keys is not None
    assert ours.tuned is not None
    assert ours.calibrated is not None
    return {
        "ldim": str(H.littlestone_dimension()),
        "lemma_12": "1/4",
        "theorem_10": f"1/{(d + 1) * 2 ** (d + 1)}",
        "eta": f"{stability(d):.3f}",
        "eta_of_G": share(stability(d) / (2 * (d + 1))),
        "stated": table(
            ["theorem", "1 for O()", "constants of its proof"],
            [
                [one.theorem, whole(one.at_one), "-" if one.proof is None else whole(one.proof)]
                for one in clean(found)
            ],
        ),
        "proved": table(["method", "what it is", "proved", "a fit"], proved),
        "calibrated": table(
            ["method", "calibrated", "runs a distribution", "worst distribution"], calibrated
        ),
        "any": lower["any learner, private or not"],
        "private": lower["any private learner"],
        "unions": lower["any private learner that releases finite unions of elements"],
        "steps": whole(STEPS),
        "online_stated": whole(formula.at_one),
        "online_proved": powered(bound.mistakes),
        "online_calls": whole(staged.sizes.calls),
        "online_keys": whole(keys.mistakes),
        "irreducible": whole(ours.tuned.n),
        "irreducible_calibrated": whole(ours.calibrated.n),
    }


def _runs(row: Row, n: int) -> str:
    """Whether a fit with the parameters that are proved would run, with so many records."""
    learner = row.learner
    if row.realizable is None:
        learner = type(learner).with_proved_bound(
            learner.hypotheses, BUDGET, alpha=ALPHA, beta=BETA
        )
    try:
        learner.require_affordable(n)
    except TooLargeError:
        return "too slow"
    return "runs"


def labels() -> Values:
    """Rules with one of three outcomes: the formulas, and what is proved."""
    H = parse_class(OUTCOMES, labels=3)
    found = plan(H, BUDGET, alpha=ALPHA, beta=BETA)
    proved = {
        row.method: whole(size.n)
        for row in found.rows
        if (size := row.realizable or row.tuned) is not None
    }
    theorem, after = found.formulas
    return {
        "mls": str(H.littlestone_dimension()),
        "theorem_3_6": whole(theorem.at_one),
        "theorem_3_6_bits": powered(theorem.at_one / math.log(2) ** 8),
        "after": whole(after.at_one),
        "after_bits": powered(after.at_one / math.log(2) ** 7),
        **{name: proved[name] for name in ("irreducible", "bit_parts", "bits")},
    }


def costs() -> Values:
    """Lines of docs/benchmarks/affordability.md: what is proved, and what is simulated."""
    lines = {cells[0]: cells for cells in map(_cells, _map().splitlines()) if len(cells) == 9}
    profiles = {
        cells[0]: cells[-1].partition(":")[0]
        for line in MAP.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
        and len(cells := [c.strip() for c in line.strip("|").split("|")]) == 6
    }
    proved, needed = [], []
    for name, words in SHOWN:
        _, dimension, lower, public, size, simulated, _, method, _ = lines[name]
        dimension = re.sub(r"\d{4,}", lambda long: whole(int(long[0])), dimension)
        proved.append([words, dimension, lower, public, size, f"`{method}`"])
        if simulated != "-":
            needed.append([words, simulated, f"`{method}`", profiles[name]])
    heads = ["class", "LDim", "private, at least", "not private", "private, proved", "method"]
    return {
        "proved": table(heads, proved),
        "needed": table(["class", "enough in simulations", "method", "worst distribution"], needed),
    }


def _map() -> str:
    return MAP.read_text(encoding="utf-8").split("```")[1]


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}", line.strip())


SECTIONS = {"chain": sizes, "labels": labels, "costs": costs}
