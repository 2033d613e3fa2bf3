"""Lemma 12 of BLM20 on nine and on eleven points, Claim 6.4 of Lyu25, and short counterexamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations, product

from benchmarks.noted.words import Values, share, table, whole
from littlestone.classes import AffineSubspaces, FiniteClass, parse_class
from littlestone.decomposition import essential_hypotheses
from littlestone.decomposition.tree import leaf_bound
from littlestone.learners import ExponentialLearner
from littlestone.learners.stable.sizes import stability
from littlestone.planning import formulas
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.lists.sparse_sampling import SparseSampling
from littlestone.verify import definitions
from littlestone.verify.bgs21 import bit_class_cap
from littlestone.verify.blm20 import ELEVEN, NINE, WEIGHTS, eleven_points, nine_points
from littlestone.verify.definitions import Game, Soa, State, ldim
from littlestone.verify.stages import FIVE

EIGHT_TARGET, ELEVEN_TARGET, ELEVEN_POINTS = 20, 1336, 11
BLOCKS = (3, 5, 10, 20)
LONG_BLOCKS = (50, 200, 1000, 5000)
SOAS: dict[str, Soa] = {
    "BLM20, ties 0": definitions.larger_or_0,
    "BLM20, ties 1": definitions.larger_or_1,
    "Lyu25": definitions.lyu,
}
DECIDING = {
    "first": definitions.first,
    "last": definitions.last,
    "uniform": definitions.uniform,
}


def uniform(rows: Iterable[int], points: int, target: int, soa: Soa = definitions.lyu) -> Game:
    """The tournaments of a class for n = 1, the uniform distribution and the labels of ``target``."""
    chances = {(x, target >> x & 1): Fraction(1, points) for x in range(points)}
    return Game(frozenset(rows), points, chances, soa=soa)


def most(played: Game, depth: int = 2) -> list[Fraction]:
    """The probability of the most frequent rule for k = 0, ..., ``depth``."""
    return [max(law.values()) for law in played.frequencies(depth)]


@cache
def nine(n: int, soa: Soa, deciding: str = "first") -> list[Fraction]:
    """The same for the class on nine points."""
    return most(nine_points(n, soa, DECIDING[deciding]))


def eleven_game(n: int, soa: Soa, deciding: str = "first") -> Game:
    """The tournaments of the class on eleven points, whose distribution depends on n."""
    return eleven_points(n, soa, DECIDING[deciding])


@cache
def eleven(n: int, soa: Soa, deciding: str = "first") -> list[Fraction]:
    """The most frequent rules for the class on eleven points."""
    return most(eleven_game(n, soa, deciding))


def lemma_12() -> Values:
    """The most frequent rule of D_0, D_1 and D_2, for n = 1."""
    one = {key: nine(1, SOAS[key[0]], key[1]) for key in product(SOAS, DECIDING)}
    eight = {name: most(uniform(FIVE, 8, EIGHT_TARGET, soa)) for name, soa in SOAS.items()}
    largest = [max(found) for key, found in one.items() if key[0] != "Lyu25"]
    mixed = [_mixture(nine_points(1, soa, definitions.first)) for soa in SOAS.values()]
    names = ["SOA", "x", "k = 0", "k = 1", "k = 2"]
    return {
        "nine_table": table(names, ([*key, *map(share, found)] for key, found in one.items())),
        "eight_own": share(min(max(found) for name, found in eight.items() if name != "Lyu25")),
        "eight_lyu": share(max(eight["Lyu25"])),
        "ldim": str(ldim(frozenset(NINE), 9)),
        "largest": share(max(largest)),
        "largest_lyu": share(max(max(found) for key, found in one.items() if key[0] == "Lyu25")),
        "mixed": share(min(mixed)),
        "theorem_10": str(Fraction(1, 3 * 2**3)),
    }


def five() -> Values:
    """The eleven points for n = 5, which G takes for d = 2 and alpha just below 1/2; x the first."""
    mixed = [_mixture(eleven_game(5, soa)) for soa in SOAS.values()]
    return {
        "mixed": share(min(mixed)),
        "ldim": str(ldim(frozenset(ELEVEN), ELEVEN_POINTS)),
        "functions": ", ".join(map(str, ELEVEN[1:])),
        "target": str(ELEVEN_TARGET),
        "weights": ", ".join(map(str, WEIGHTS.values())),
        "points": ", ".join(map(str, WEIGHTS)),
    }


def _mixture(played: Game) -> Fraction:
    """The most frequent rule of G without its cap: k is uniform in 0, 1, 2."""
    laws = played.frequencies(2)
    rules = {rule for law in laws for rule in law}
    return max(sum((law.get(rule, Fraction(0)) for law in laws), Fraction(0)) / 3 for rule in rules)


def long_blocks(n: int, soa: Soa) -> float:
    """The most frequent rule on the eleven points, in floats, over k and the three ways to pick x."""
    games = (eleven_points(n, soa, deciding) for deciding in DECIDING.values())
    return max(max(law.values()) for game in games for law in game.approximate(2))


def in_favour(game: Game) -> float:
    """The most frequency of a rule for k = 1, if x may be any function of the two rules; in floats."""
    contenders: dict[int, dict[State, float]] = {}
    for state, mass in game.with_long_block({game.start(): 1.0}).items():
        contenders.setdefault(state.rule, {})[state] = mass
    masses = {rule: sum(states.values()) for rule, states in contenders.items()}

    @cache
    def rules_after(state: State) -> dict[int, float]:
        found: dict[int, float] = {}
        for after, mass in game.with_long_block({state: 1.0}).items():
            found[after.rule] = found.get(after.rule, 0.0) + mass
        return found

    def picked(one: int, other: int, x: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for rule, met in ((one, other), (other, one)):
            for state, mass in contenders[rule].items():
                won = game.update(state, x, 1 - (rule >> x & 1))
                for f, p in rules_after(won).items():
                    found[f] = found.get(f, 0.0) + mass * masses[met] * p
        return found

    ways = [
        [picked(one, other, x) for x in range(game.points) if (one ^ other) >> x & 1]
        for one, other in combinations(contenders, 2)
    ]
    rules = {f for options in ways for found in options for f in found}
    most = max(sum(max(found.get(f, 0.0) for found in options) for options in ways) for f in rules)
    return most / (1 - sum(mass * mass for mass in masses.values()))


def larger_n() -> Values:
    """The nine points for n = 2, 3, where the lemma holds, and the eleven, where it does not."""
    own = [soa for name, soa in SOAS.items() if name != "Lyu25"]
    two, three = ([nine(n, soa) for soa in own] for n in (2, 3))
    largest = [
        [n, *(share(max(max(eleven(n, soa, x)) for x in DECIDING)) for soa in SOAS.values())]
        for n in BLOCKS
    ]
    favours = [in_favour(eleven_game(n, soa)) for n in BLOCKS for soa in SOAS.values()]
    long = [[whole(n), *(share(long_blocks(n, soa)) for soa in SOAS.values())] for n in LONG_BLOCKS]
    return {
        "long": table(["n", *SOAS], long),
        "longest": share(max(long_blocks(LONG_BLOCKS[-1], soa) for soa in own)),
        "favour_least": share(min(favours)),
        "favour_most": share(max(favours)),
        "two_k0": share(max(found[0] for found in two)),
        "two_k1": share(min(found[1] for found in two)),
        "three_k0": share(min(found[0] for found in three)),
        "eleven": table(["n", *SOAS], largest),
    }


def smallest() -> Values:
    """The exact law of the tournaments on two points: three functions, the target 0, n = 1."""
    played = uniform([0, 1, 2], 2, 0)
    zero, one = played.frequencies(1)
    capped = played.capped(1, 3)
    return {
        "d0_other": str(zero[1]),
        "d1_target": str(one[0]),
        "capped_target": str(capped[0]),
        "capped_fails": str(capped[None]),
    }


def repaired() -> Values:
    """The frequency of the repaired lemma, beside 2^-d."""
    return {f"eta_{d}": f"{stability(d):.3g}" for d in (1, 2, 3)}


def bottom(d: int, delta: Fraction) -> tuple[float, int]:
    """Bits b with p = 2^-b if all k = 10 B teachers list one hypothesis, and the least private B."""
    sampling = SparseSampling[int](Budget(Fraction(1, 20), delta), 2 ** (d * d))
    B = sampling.bottom
    return 9 * B * math.log2(sampling.base), B


def claim_6_4() -> Values:
    """Pr[bottom] against 2^-O(d^2), and how many calls the growth by 1.1 leaves in a stage."""
    found = {}
    for d, power in product((1, 2), (6, 12)):
        bits, _ = bottom(d, Fraction(1, 10**power))
        found[f"bits_{d}_{power}"] = str(math.floor(bits))  # p <= 2^-bits
    for d in (1, 2):  # one hypothesis on all lists, with k eps = d^2 and B = k/10
        found[f"bottom_{d}"] = share(1 / (1 + math.exp(0.9 * d * d)), 3)
    million = Fraction(1, 10**6)
    found["lemma_bits"] = f"{90 * math.log2(2 * 10**6):.0f}"
    for power in (6, 12):
        found[f"calls_{power}"] = whole(math.ceil(9 * power * math.log(10) / math.log(1.1)))
    sampling = SparseSampling[int](Budget(Fraction(1, 5), million), 100)
    found["exact_B"] = whole(sampling.bottom)
    found["stated_B"] = whole(math.ceil(10 * math.log(100 * 10**6) / 0.1))
    return found


def chernoff() -> Values:
    """Proposition 1: one fair bit and delta = .99."""
    return {"bound": share(math.exp(-(0.99**2) * 0.5 / 3), 2)}


def essential() -> Values:
    """The essential hypotheses of {0, e1, e2, e3} and of its part {0, e1}, for p = d = 1."""
    rows = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    whole_class, part = (FiniteClass.from_array(table) for table in (rows, rows[:2]))
    return {
        "whole": str(len(essential_hypotheses(whole_class, 1, 1))),
        "part": str(len(essential_hypotheses(part, 1, 1))),
    }


def confidence() -> Values:
    """The failures that the proof of Theorem 17 adds up, in units of beta."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    return {"proof": str(third + half + third)}


def subspaces() -> Values:
    """Affine subspaces of dimension at most d."""
    line = parse_class("affine(x, y; q 5, dimension 1)")
    assert isinstance(line, AffineSubspaces)
    return {"lines": str(line.littlestone_dimension())}


def constants() -> Values:
    """What is stated beside what is known exactly."""
    H, goal = parse_class("affine(x, y, z; q 101, dimension 2)"), {"alpha": 0.1, "beta": 0.05}
    lecture = formulas(H, Budget(1), **goal)[0].proof
    proved = ExponentialLearner(H, Budget(1)).plan(**goal, setting="agnostic")
    assert lecture is not None
    assert proved is not None
    blocks = 0.0
    for _ in range(2):  # Lemma 14 for d = 2, if no rule has probability 1/4
        blocks = 2 * (blocks + 1) / (1 - 1 / 4)
    return {
        "sauer": str(bit_class_cap(5, 255)),
        "theorem_3_3": str(int(6 * 5 * math.log(256))),
        "blocks": f"{blocks:.1f}",
        "lemma_14": str(4**3),
        "leaves": whole(leaf_bound(2, 3, 3)),
        "lemma_4_1": whole(2**3 * 2**9),
        "lecture": whole(lecture),
        "exponential": whole(proved.n),
    }


SECTIONS: dict[str, Callable[[], Values]] = {
    "lemma12": lemma_12,
    "five": five,
    "smallest": smallest,
    "repaired": repaired,
    "claim64": claim_6_4,
    "chernoff": chernoff,
    "essential": essential,
    "confidence": confidence,
    "subspaces": subspaces,
    "constants": constants,
}
