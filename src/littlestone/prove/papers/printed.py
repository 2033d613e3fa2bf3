"""The boxes of `learn.papers.boxes` as printed, by exact laws of their own code at toy sizes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from typing import Any, TypeVar

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Sample, split
from littlestone.learn.papers.boxes.blm20 import algorithm_g, algorithm_m, law_of_d_k
from littlestone.learn.papers.boxes.lecture5 import algorithm_a, exponential_learner
from littlestone.learn.papers.boxes.lyu25 import (
    Sizes,
    cl_above_threshold,
    define_class,
    essential_rules,
    joint_train,
    printed_bottom,
    sparse_sample,
)
from littlestone.privacy.accounting.elsewhere import Elsewhere
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.above_threshold import AboveThreshold
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.randomness import Choose
from littlestone.privacy.rational import exp_below, sum_masses
from littlestone.prove.audit.choices import Choices
from littlestone.prove.audit.claims import (
    Distribution,
    Masses,
    exact_audit,
    hockey_stick,
    neighbours,
)
from littlestone.prove.papers import definitions
from littlestone.prove.papers.definitions import Game
from littlestone.prove.papers.statement import Outcome, statement

Output = TypeVar("Output", bound=Hashable)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
BITS = ("x0", 0), ("x0", 1)
"""The records over one point."""


def law(run: Callable[[Choose], Output]) -> dict[Output, Fraction]:
    """The exact law of a box, along every outcome of its choices."""
    choices = Choices()
    return choices.explore(lambda: run(choices.choose))


def keeps(
    run: Callable[[Any, Choose], Hashable],
    pairs: Iterable[tuple[Any, Any]],
    budget: Budget,
) -> tuple[bool, float]:
    """Whether a box keeps a claim on all pairs, and the epsilon that it takes at that delta."""

    def distribution(data: Any) -> Masses:
        return law(partial(run, data))

    audited: Distribution[Any] = distribution
    found = exact_audit(audited, pairs, Elsewhere(budget.cost, "the promise"))
    return found.holds, found.epsilon


def constants() -> FiniteClass:
    """0 and 1 on one point: Littlestone dimension 1."""
    return FiniteClass.from_array([[0], [1]])


@statement("L5 section 3, scores")
def printed_learner() -> Outcome:
    """On the samples of three records over one point, beside e^(epsilon q / 2) in floats.

    says: the box as printed draws h with probability ~ exp(epsilon q(S, h) / 2), and is private
    scope: the exact law of its code, all pairs of three records over one point, epsilon 1
    code: learn.papers.boxes.lecture5.exponential_learner
    proof: notes/boxes.md#l5-section-3-scores
    """
    H, epsilon = constants(), Fraction(1)

    def run(S: Any, choose: Choose) -> Hashable:
        return exponential_learner(S, H, epsilon=epsilon, choose=choose)

    private, spent = keeps(run, neighbours(BITS, 3), Budget(epsilon))
    found = law(lambda choose: run((BITS[0], BITS[0], BITS[1]), choose))
    ratio = float(found[0,] / found[1,])
    return Outcome(
        f"epsilon {spent:.3f} of 1; one error less is {ratio:.6f} = e^(1/2) times as likely",
        private and abs(ratio - 2.718281828**0.5) < 1e-6,
    )


@statement("BLM20 section 4.2, distributions")
def printed_distributions() -> Outcome:
    """The argmax SOA with both labels in ties, against an enumeration by its definition.

    says: D_k as printed, undefined from the first rule of frequency 2^-d on
    scope: all classes of three functions on three points, two distributions, n = 1, 2: D_1 to D_3
    stated: what an enumeration of the frequencies says
    code: learn.papers.boxes.blm20.law_of_d_k
    proof: notes/boxes.md#blm20-section-42-distributions
    """
    wrong = cases = defined = 0
    ways = ((0, definitions.larger_or_0), (1, definitions.larger_or_1))
    for table, (tie, way), n in product(combinations(range(8), 3), ways, (1, 2)):
        least = Fraction(1, 2 ** definitions.ldim(frozenset(table), 3))
        H = FiniteClass.from_array([[row >> x & 1 for x in range(3)] for row in table])
        for first in (HALF, THIRD):
            masses = first, (1 - first) / 2, (1 - first) / 2
            chances = {(x, table[0] >> x & 1): p for x, p in enumerate(masses)}
            named = {(f"x{x}", y): p for (x, y), p in chances.items()}
            laws = Game(frozenset(table), 3, chances, n, way).frequencies(2)
            tops = [max(found.values()) for found in laws]
            for k in (1, 2, 3):
                found = law_of_d_k(k, H, named, n, tie=tie)
                due = len(tops) >= k and all(top < least for top in tops[:k])
                cases, defined = cases + 1, defined + (found is not None)
                wrong += (found is not None) != due
                wrong += found is not None and sum(found.values()) != 1
    return Outcome(f"{wrong} of {cases} differ, {defined} are defined", wrong == 0 < defined)


@statement("BLM20 algorithm G")
def printed_stable_learner() -> Outcome:
    """With N = 4 in the place of 64; k is uniform in {0, 1}.

    says: G as printed has the law of D~_0, ..., D~_d, mixed equally
    scope: the exact law of its code, LDim 1: three rows on two points, both labels in ties, N = 4
    stated: the laws of an enumeration that shares no code with it
    code: learn.papers.boxes.blm20.algorithm_g
    proof: notes/boxes.md#blm20-algorithm-g
    """
    rows, N, wrong, least = [0, 1, 2], 4, 0, Fraction(1)
    H = FiniteClass.from_array([[row >> x & 1 for x in (0, 1)] for row in rows])
    ways = ((0, definitions.larger_or_0), (1, definitions.larger_or_1))
    for (tie, way), first in product(ways, (HALF, THIRD)):
        chances = {(0, 0): first, (1, 0): 1 - first}
        game = Game(frozenset(rows), 2, chances, 1, way)
        due = sum_masses(
            (None if f is None else (f & 1, f >> 1), p / 2)
            for k in (0, 1)
            for f, p in game.capped_law(k, N + 1).items()
        )

        def run(choose: Choose, tie: int = tie, chances: Any = chances) -> Any:
            drawn = [list(chances)[choose([*chances.values()])] for _ in range(N + 1)]
            S = [(f"x{x}", y) for x, y in drawn]
            return algorithm_g(S, H, n=1, N=N, tie=tie, choose=choose)

        found = law(run)
        wrong += found != due
        least = min(least, max(p for f, p in found.items() if f is not None))
    return Outcome(
        f"{wrong} of 4 laws differ; some rule has at least {float(least):.3f}, due {1 / 8:.3f}",
        wrong == 0 and least >= Fraction(1, 8),
    )


@statement("BLM20 algorithm M")
def printed_private_learner() -> Outcome:
    """Four batches of one record and one more, for choosing; N = 0, so k = 1 fails.

    says: M as printed, with its halves of epsilon, is (epsilon, delta)-DP on every sample
    scope: the exact law of its code, five records over one point, epsilon 2, delta .05
    stated: it is, and not with a tenth of that delta
    code: learn.papers.boxes.blm20.algorithm_m
    proof: notes/boxes.md#blm20-algorithm-m
    """
    H, budget = constants(), Budget(2, "0.05")

    def run(S: Any, choose: Choose) -> Hashable:
        return algorithm_m(S, H, k=4, n=1, N=0, eta=HALF, budget=budget, choose=choose)

    # The order of the batches says nothing.
    samples = {
        (i, y): (*BITS[:1] * i, *BITS[1:] * (4 - i), BITS[y]) for i in range(5) for y in (0, 1)
    }
    pairs = [(samples[i, y], samples[i + 1, y]) for i in range(4) for y in (0, 1)]
    pairs += [(samples[i, 0], samples[i, 1]) for i in range(5)]
    private, _ = keeps(run, pairs, budget)
    exact, _ = keeps(run, pairs, Budget(2, "0.005"))
    return Outcome(f"private: {private}; with a tenth of delta: {exact}", private and not exact)


@statement("BGS21 Figure 1")
def printed_bits() -> Outcome:
    """Labels 0, 1, 2 on one point: the bits (1, 1) spell 3.

    says: A as printed is epsilon-DP if the learners of its bits are
    scope: the exact law of its code, all pairs of two records with three labels, parts of one record
    stated: it is, and a label above k has a positive chance if k + 1 = 3
    code: learn.papers.boxes.lecture5.algorithm_a
    proof: notes/boxes.md#bgs21-figure-1
    """
    H = FiniteClass.from_array([[0], [1], [2]], labels=3)

    def learner(S: Any, K: FiniteClass, choose: Choose) -> Any:
        return exponential_learner(S, K, epsilon=Fraction(1), choose=choose)

    def run(S: Any, choose: Choose) -> Hashable:
        return algorithm_a(S, H, [learner, learner], [1, 1], choose=choose)

    records = [("x0", y) for y in range(3)]
    private, spent = keeps(run, neighbours(records, 2), Budget(1))
    above = law(partial(run, (records[1], records[2])))[3,]
    return Outcome(
        f"epsilon {spent:.3f} of 1; the label 3 has a chance of {float(above):.3f}",
        private and above > 0,
    )


@statement("Lyu25 Algorithm 1")
def printed_sampling() -> Outcome:
    """Two lists of at most two of four items.

    says: Algorithm 1 as printed is (2 epsilon, delta)-DP for B = 10 log(L / delta) / epsilon
    scope: the exact law of its code, all pairs of two lists, L = 1, 2, epsilon 1, delta .05
    stated: it is; also for a fifth of that B, and not for a tenth
    code: learn.papers.boxes.lyu25.sparse_sample
    proof: notes/boxes.md#lyu25-algorithm-1
    """
    epsilon, delta = Fraction(1), 0.05
    found = []
    for L, share in product((1, 2), (1, 5, 10)):
        B = Fraction(round(100 * printed_bottom(L, delta, 1.0)), 100 * share)

        def run(lists: Any, choose: Choose, B: Fraction = B) -> Hashable:
            return sparse_sample(lists, epsilon=epsilon, B=B, choose=choose)

        lists = [(), (1,), (2,), (1, 2), (3, 4)][: 3 if L == 1 else 5]
        found.append(keeps(run, neighbours(lists, 2), Budget(2, "0.05"))[0])
    return Outcome(
        f"kept for B: {found[::3]}, B / 5: {found[1::3]}, B / 10: {found[2::3]}",
        found == [True, True, False] * 2,
    )


@statement("Lyu25 Algorithm 2", "false")
def one_hit_too_many() -> Outcome:
    """A value is 0 without the record and 1 with it, or the reverse, whichever tells more by then.

    says: ``counter <= K`` lets K + 1 hits pass, which noise for K hits does not pay for
    scope: the exact law of its code, eight adaptive tests, K = 1, budget epsilon 1, delta .1
    stated: false: above delta, and below it with ``counter < K``
    code: learn.papers.boxes.lyu25.cl_above_threshold
    proof: notes/boxes.md#lyu25-algorithm-2
    """
    budget, K = Budget(1, "0.1"), 1
    epsilon = AboveThreshold(budget=budget, threshold=1, hits=K).query_epsilon
    far = least_power(exp_below(epsilon), exp_below(budget.epsilon))

    def run(record: int, K: int, choose: Choose) -> tuple[bool, ...]:
        answers: list[bool] = []

        def queries() -> Iterator[int]:
            # Below speaks for a record that is missing until that is e^epsilon times as likely.
            walked = 0
            for _ in range(8):
                below = walked < far
                yield record if below else 1 - record
                walked += 1 if answers[-1] is not below else -1

        tests = cl_above_threshold(queries(), H=HALF, K=K, epsilon=epsilon, choose=choose)
        for above in tests:
            answers.append(above)
        return tuple(answers)

    def leak(K: int) -> Fraction:
        laws = [law(partial(run, record, K)) for record in (0, 1)]
        return max(hockey_stick(p, q, exp_below(budget.epsilon)) for p, q in (laws, laws[::-1]))

    printed, mended = leak(K), leak(K - 1)
    return Outcome(
        f"delta {float(printed):.3f} as printed, {float(mended):.3f} with counter < K",
        mended <= budget.delta < printed,
    )


def _two_teams(k: int) -> Sequence[list[list[Any]]]:
    """The data of k teachers who have seen the label 0, and the same with one record changed."""
    zero: list[Any] = [(BITS[0],)]
    return [zero] * k, [zero] * (k - 1) + [[(BITS[1],)]]


@statement("Lyu25 Algorithm 4", "false")
def printed_training() -> Outcome:
    """The last teacher has seen the label 1 in one of two neighbouring inputs; d = 1, one draw.

    says: JointTrain with B = k / 10 and the printed sizes is private with a delta like 1e-12
    scope: the exact law of its code, 128 teachers, d = 1, T = 10^4, epsilon 1, delta 1e-6, one draw
    stated: false: what one record alone names is published with probability .2
    code: learn.papers.boxes.lyu25.joint_train, learn.papers.boxes.lyu25.Sizes
    proof: notes/boxes.md#lyu25-algorithm-4
    """
    sizes = Sizes.as_printed(1, 10_000, 1.0, 1e-6)
    one = replace(sizes.training, draws=1)
    before, after = (
        law(lambda choose, S=S: joint_train(constants(), S, 1, one, choose=choose)[0])  # type: ignore[misc]
        for S in _two_teams(sizes.k)
    )
    leak = after[1,] - before.get((1,), Fraction(0))
    return Outcome(
        f"the rule of one teacher of {sizes.k} has probability {float(leak):.3f}, and 0 without it",
        (1,) not in before and leak > Fraction(1, 10),
    )


@statement("Lyu25 Algorithm 4", "mended")
def mended_training() -> Outcome:
    """The same, with the B that Lemma 3.1 asks for and as many teachers as that takes.

    says: with B of Lemma 3.1 the rule of one record is as rare as delta allows; k = 2 B is enough
    scope: the exact law of its code, d = 1, epsilon_sparse 1, delta .001, one draw, 2 and 152 teachers
    stated: at most delta; and what all but one list is published in more than half of the runs
    code: learn.papers.boxes.lyu25.joint_train
    proof: notes/boxes.md#lyu25-algorithm-4
    """
    B = Fraction(round(printed_bottom(2, 0.001, 1.0)))
    sizes = Sizes.as_printed(1, 10_000, 1.0, 1e-6)
    one = replace(sizes.training, draws=1, epsilon_sparse=Fraction(1), B=B)

    def train(k: int) -> dict[Any, Fraction]:
        _, S = _two_teams(k)
        return law(lambda choose: joint_train(constants(), S, 1, one, choose=choose)[0])

    few, many = train(2), train(int(2 * B))
    rare, right = few.get((1,), Fraction(0)), many[0,]
    return Outcome(
        f"{float(rare):.1e} for B = {B} and 2 teachers; {2 * B} teachers agree with {float(right):.3f}",
        0 < rare <= Fraction(1, 1000) and right > HALF,
    )


@statement("Lyu25 Algorithm 3", "mended")
def uneven_parts() -> Outcome:
    """One mistake more makes one part longer, so a part may lose a mistake and another gain two.

    says: equal parts of the mistakes, if k does not divide them: no more leaks than one list may leak
    scope: exact laws of a split, stage 1 and one sparse sample with B = 2; k = 2, 3; 1 to 3 mistakes
    stated: at most 1 times what Lemma 3.1 allows one list at e^2; so no leak is shown, nor excluded
    code: learn.papers.boxes.lyu25.dp_ol, learn.papers.boxes.base.split
    proof: notes/boxes.md#lyu25-algorithm-3
    """
    base, B, worst, cases = exp_below(Fraction(1)), Fraction(2), Fraction(0), 0
    two = FiniteClass.from_array([[0, 0], [0, 1], [1, 0]])
    for H, k, m in product((constants(), two), (2, 3), (1, 2, 3)):
        records = list(product(H.domain, (0, 1)))

        def essential(part: Sample, H: FiniteClass = H) -> Any:
            return essential_rules(H, define_class(H, [part], 1), 2, 1)

        def run(E: Sample, choose: Choose, k: int = k, essential: Any = essential) -> Hashable:
            lists = [essential(part) for part in split(E, k, choose)]
            return sparse_sample(lists, epsilon=Fraction(1), B=B, choose=choose)

        L = max(len(essential(part)) for part in ((), *((record,) for record in records)))
        allowed = L * base / (base**2 + L * base)
        laws = {
            E: law(partial(run, E))
            for n in (m, m + 1)
            for E in combinations_with_replacement(records, n)
        }
        for E, z in product(combinations_with_replacement(records, m), records):
            P, Q = laws[E], laws[tuple(sorted((*E, z)))]
            leak = max(hockey_stick(p, q, base**2) for p, q in ((P, Q), (Q, P)))
            worst, cases = max(worst, leak / allowed), cases + 1
    return Outcome(f"at most {float(worst):.3f} of it, in {cases} pairs", worst <= 1)
