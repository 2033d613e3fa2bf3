"""Lyu25: lists of few columns and of error balls, and what teachers agree on (Theorem 3)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any, cast

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Points, Subsets, Thresholds
from littlestone.data.sample import Sample
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.proper import ProperLearner, errors
from littlestone.learn.papers.radii_lists import lists
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.prove.papers.lyu25 import (
    CUBE,
    _classes,
    _dimension_and_essentials,
    _random_classes,
    _settings,
    _singletons,
)
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.rules import Hypothesis
from littlestone.theory.decomposition import (
    certain_hypotheses,
    check_tree,
    decompose,
    error_ball,
    is_irreducible,
    leaf_bound,
    refine,
    top_hypotheses,
)


@statement("Lyu25 Claim 6.4", "false")
def a_new_hypothesis() -> Outcome:
    """H = {0, e1, e2, e3} and its version space {0, e1}, p = d = 1.

    says: its proof, "no new hypothesis is introduced": needs equal DDim
    scope: one class of four functions, p = d = 1
    stated: false as it stands: a subclass of smaller DDim has new essential hypotheses
    code: theory.decomposition.essential_hypotheses
    proof: proofs/decomposition.md#no-new-hypothesis-is-introduced-proof-of-claim-64
    """
    H = _singletons(3)
    G = H.restrict("x1", 0).restrict("x2", 0)
    (t, outer), (s, inner) = _dimension_and_essentials(H, 1, 1), _dimension_and_essentials(G, 1, 1)
    shown = [", ".join(sorted(f.words() for f in found)) for found in (outer, inner)]
    return Outcome(
        f"DDim {t}: {shown[0]}; DDim {s}: {shown[1]}",
        (t, s, len(outer), len(inner)) == (1, 0, 1, 2) and not inner <= outer,
    )


def _samples(size: int) -> Iterator[list[tuple[str, int]]]:
    for points in product(CUBE.domain, repeat=size):
        for labels in product((0, 1), repeat=size):
            if list(points) == sorted(points):
                yield list(zip(points, labels, strict=True))


@statement("Lyu25 Fact 4")
def exposed_hypotheses() -> Outcome:
    """All classes and samples of up to three examples on three points; n counts distinct points.

    says: sharper, f is not essential to {h : errs less than f} for n <= p points
    scope: all classes over three points, in one order, and all samples of at most three examples
    stated: f is not essential
    code: theory.decomposition.essential_hypotheses
    proof: proofs/decomposition.md#few-columns
    """
    wrong = cases = fewer = 0
    for examples in (sample for size in (1, 2, 3) for sample in _samples(size)):
        n = len({x for x, _ in examples})
        errors = [sum(h(x) != y for x, y in examples) for h in CUBE]
        below = [sum(1 << i for i, e in enumerate(errors) if e < bound) for bound in range(4)]
        for p, H in product((1, 2, 3), _classes()):
            # Every f that is essential to the part below b must err less than b.
            for bound in range(1, max(errors) + 1):
                G = replace(CUBE, alive=H.alive & below[bound])
                if G.is_empty():
                    continue
                _, essential = _dimension_and_essentials(G, p, max(H.littlestone_dimension(), 1))
                failed = any(sum(f(x) != y for x, y in examples) >= bound for f in essential)
                if n <= p:
                    cases += 1
                    wrong += failed
                else:
                    fewer += failed
    return Outcome(
        f"{wrong} failures in {cases} cases, {fewer} more where p < n", wrong == 0 < fewer
    )


@statement("Lyu25 section 4.1")
def few_columns(trial: Trial) -> Outcome:
    """So DDim = 0 if there are at most p columns; copies of a column do not count.

    says: a class with at most p 2^(d-l) distinct columns, l >= 1, is reducible
    scope: all classes over 3 points in one order, random larger ones
    deep: all classes over four points, up to the order of the points
    stated: reducible, and DDim = 0 with every hypothesis essential if p columns suffice
    code: theory.decomposition.is_irreducible, theory.decomposition.decomposition_dimension
    proof: proofs/decomposition.md#few-columns
    """
    reducible = zero = wrong = 0
    for H, p, d in _settings(trial):
        dimension = H.littlestone_dimension()
        columns = len({tuple(h(x) for h in H) for x in H.domain})
        if dimension and columns <= p * 2 ** (d - dimension):
            reducible += 1
            wrong += is_irreducible(H, p * 2 ** (d - dimension))
        if columns <= p:
            zero += 1
            wrong += _dimension_and_essentials(H, p, d) != (0, frozenset(H))
    return Outcome(
        f"{wrong} failures in {reducible} and {zero} cases",
        wrong == 0 and reducible > 0 and zero > 0,
    )


@statement("Lyu25 Lemma 4.3")
def greedy_nested_trees(trial: Trial) -> Outcome:
    """Every stage is valid; at equal degree, its top SOAs were top SOAs of the stage before.

    says: for greedy trees that are kept while C shrinks and p doubles
    scope: random subclasses of random classes and of singletons and more, p = 1, 2, 4, 8
    deep: all classes over four points, up to the order of the points
    stated: valid, leaves within leaves, and no new top hypothesis without a smaller degree
    code: theory.decomposition.refine, theory.decomposition.decompose
    proof: proofs/decomposition.md#greedy-trees-that-are-kept
    """
    rng = trial.array(6)
    stages = wrong = equal = 0
    wide = [_wide(rng) for _ in range(trial.pick(24, 240))]
    for H in (*_random_classes(trial), *(H for H in _classes() if H.size >= 4), *wide):
        for d in (H.littlestone_dimension(), H.littlestone_dimension() + 1):
            C, tree = H, decompose(H, 1, d)
            for p in (2, 4, 8):
                kept = [i for i in range(len(H.names)) if rng.random() < (0.97 if i < 9 else 0.7)]
                C = replace(C, alive=C.alive & sum(1 << i for i in kept))
                before, tree = tree, refine(tree, C, p)
                stages += 1
                wrong += check_tree(tree, C) is not None or tree.degree > before.degree
                if tree.degree == before.degree and not C.is_empty():
                    equal += 1
                    wrong += not set(tree.hypotheses()) <= set(before.hypotheses())
                cells = [V.alive for V in cast(Any, before.leaves())]
                leaves = [V.alive for V in cast(Any, tree.leaves())]
                wrong += not all(any(V & ~cell == 0 for cell in cells) for V in leaves)
    return Outcome(
        f"{wrong} failures in {stages} stages, {equal} of equal degree", wrong == 0 and equal > 0
    )


def _wide(rng: np.random.Generator) -> FiniteClass:
    """Singletons on eight points, which take many points to reduce, and five more functions."""
    more = (rng.random((5, 8)) < 0.3).astype(int)
    return FiniteClass.from_array(
        np.vstack([np.zeros((1, 8), dtype=int), np.eye(8, dtype=int), more])
    )


def _patterns(V: HypothesisClass[Any], points: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """The ways in which V labels the points."""
    if V.is_empty():
        return
    if not points:
        yield ()
        return
    for y in (0, 1):
        for rest in _patterns(V.restrict(points[0], y), points[1:]):
            yield (y, *rest)


@statement("Error balls")
def error_balls(trial: Trial) -> Outcome:
    """Against the errors of every pattern of labels on the sample and on two more points.

    says: at most N(m, l) version spaces for m distinct points (Sauer)
    scope: random samples on six points, classes of tables, thresholds and points
    stated: the hypotheses of few errors, each once, with their errors
    code: theory.decomposition.error_ball
    proof: proofs/decomposition.md#error-balls
    """
    rng = trial.array(7)
    classes: list[HypothesisClass[Any]] = [Thresholds.on(0, 9), Points(Integers())]
    wrong = balls = 0
    for H in [*classes, *_random_classes(trial)[:20]] * 3:
        points = H.domain.examples(8)
        drawn = [x for x in points[:6] for _ in range(int(rng.integers(0, 3)))]
        examples = [(x, int(rng.integers(0, 2))) for x in drawn]
        sample = Sample.from_examples(H.domain, examples)
        errors = {
            pattern: sum(labels[x] != y for x, y in examples)
            for pattern in _patterns(H, points)
            for labels in [dict(zip(points, pattern, strict=True))]
        }
        for radius in range(5):
            ball = error_ball(H, sample, radius)
            found = [(pattern, e) for V, e in ball.cells for pattern in _patterns(V, points)]
            inside = sorted((pattern, e) for pattern, e in errors.items() if e <= radius)
            balls += 1
            wrong += sorted(found) != inside
            most = leaf_bound(len(sample.points), 1, int(H.littlestone_dimension()))
            wrong += len(ball.cells) > most
    return Outcome(
        f"{wrong} of {balls} balls differ from brute force or have more version spaces", wrong == 0
    )


@statement("Error balls")
def lists_of_balls(trial: Trial) -> Outcome:
    """The tree of a ball of a finite class is valid, and exact where its top leaves are certain.

    says: for p >= m, the SOAs of the version spaces serve as the list (Lyu25 section 4.2)
    scope: balls of random samples of random classes, and one infinite ball
    deep: all classes over four points, up to the order of the points
    stated: valid trees; DDim and all essential hypotheses where the top leaves are irreducible
    code: theory.decomposition.error_ball, theory.decomposition.top_hypotheses,
        theory.decomposition.certain_hypotheses
    proof: proofs/decomposition.md#error-balls
    """
    rng = trial.array(8)
    wrong = balls = exact = 0
    for H in _random_classes(trial):
        points = [x for x in H.domain if rng.random() < 0.6]
        counts = {x: rng.integers(0, 3, size=2).tolist() for x in points}
        ball = error_ball(H, Sample.from_counts(H.domain, counts), int(rng.integers(0, 4)))
        if ball.is_empty():
            continue
        union = replace(H, alive=sum(cast(FiniteClass, V).alive for V, _ in ball.cells))
        p, d = max(len(points), 1), H.littlestone_dimension() + 1
        tree = decompose(ball, p, d)
        balls += 1
        listed = top_hypotheses(ball, p, d)
        wrong += check_tree(tree, union) is not None
        wrong += listed[0] != tree.degree or set(listed[1]) != set(tree.hypotheses())
        if len(certain_hypotheses(tree)) == len(tree.hypotheses()):
            exact += 1
            wrong += (listed[0], frozenset(listed[1])) != _dimension_and_essentials(union, p, d)
    infinite = Points(Integers())
    examples = [(x, y) for x in range(9) for y in (0, 1, 1)]
    whole = error_ball(infinite, Sample.from_examples(infinite.domain, examples), len(examples))
    known = decompose(whole, 9)
    wrong += certain_hypotheses(known) != known.hypotheses()
    return Outcome(
        f"{wrong} failures in {balls} balls, {exact} of them exact; an infinite ball of point "
        f"functions has DDim {known.degree}",
        wrong == 0 and exact > 0 and known.degree == 1,
    )


def rules_in_common(
    H: FiniteClass, chunks: list[Sample[Any]], *, doublings: int
) -> set[Hypothesis[Any]] | None:
    """The rules that the lists of all teachers share if their balls interleave; None if not.

    The radii 0 = b_0 <= ... <= b_d are the least for which whatever errs at most b_j times on one chunk
    errs at most b_(j+1) times on each; that is impossible if it takes the radius of a whole chunk.
    """
    wrong = np.array([errors(list(H), chunk) for chunk in chunks])
    radius = 0
    for _ in range(int(H.littlestone_dimension())):
        radius = max(radius, int(wrong[:, (wrong <= radius).any(axis=0)].max()))
    if radius >= chunks[0].n:
        return None
    learner = IrreducibleLearner(
        H,
        Budget(1, "0.1"),
        alpha=Fraction(radius, chunks[0].n),
        most=None,
        doublings=doublings,
    )
    return set.intersection(*(set(learner.hypotheses_of_teacher(chunk)) for chunk in chunks))


def chunks_of_three(rng: np.random.Generator) -> tuple[FiniteClass, list[Sample[Any]]]:
    """Singletons and a few more functions, all flipped alike; what three teachers hold of one."""
    n, m = int(rng.integers(5, 11)), int(rng.integers(2, 6))
    rows = np.concatenate([np.eye(n, dtype=int), rng.integers(0, 2, (int(rng.integers(3)), n))])
    H = FiniteClass.from_array(rows ^ rng.integers(0, 2, n))
    drawn = rng.choice(list(H.domain), (3, m), p=rng.dirichlet(np.full(n, 0.3))).tolist()
    target = H.hypothesis(0)
    return H, [Sample.from_examples(H.domain, [(x, target(x)) for x in row]) for row in drawn]


@statement("Lyu25 Theorem 3", "changed")
def one_rule_on_all_lists(trial: Trial) -> Outcome:
    """Singletons and more, three teachers: with d doublings, and with one p for all radii.

    says: one rule on the lists of all teachers: p must double with each radius
    scope: random classes, three teachers with 2 to 5 records each
    stated: if each ball lies in those of the next radius, all teachers list some rule
    code: learn.IrreducibleLearner.hypotheses_of_teacher
    proof: proofs/irreducible.md#theorem-2-the-proved-size
    """
    rng = trial.array(7)
    tried = lacking = without = 0
    for _ in range(trial.pick(200, 4000)):
        H, chunks = chunks_of_three(rng)
        found = rules_in_common(H, chunks, doublings=int(H.littlestone_dimension()))
        if found is not None:
            tried += 1
            lacking += not found
            without += not rules_in_common(H, chunks, doublings=0)
    return Outcome(
        f"{lacking} of {tried} samples without one; {without} with the same p for all radii",
        lacking == 0 < without and tried > 50,
    )


@statement("Lists of teachers")
def all_that_errs_little(trial: Trial) -> Outcome:
    """Then every leaf is one function, so none dominates another: the errors say it all.

    says: with p points or fewer, a teacher lists all hypotheses that err at most alpha m times
    scope: random classes, chunks of at most 9 records with wrong labels, four shares alpha
    stated: these, and no other
    code: learn.IrreducibleLearner.hypotheses_of_teacher, learn.papers.teachers.frontier
    proof: proofs/decomposition.md#few-columns
    """
    rng, wrong, listed = trial.array(12), 0, 0
    cases = trial.pick(120, 2000)
    for _ in range(cases):
        points, size = int(rng.integers(2, 6)), int(rng.integers(5, 10))
        H = FiniteClass.from_array(rng.integers(0, 2, (int(rng.integers(2, 9)), points)))
        examples = [(x, int(rng.integers(2))) for x in rng.choice(list(H.domain), size).tolist()]
        alpha = Fraction(int(rng.integers(0, 4)), 4)
        learner = IrreducibleLearner(H, Budget(1, "0.1"), alpha=alpha, list_size=99)
        due = {h for h in H if sum(h(x) != y for x, y in examples) <= alpha * size}
        found = learner.hypotheses_of_teacher(Sample.from_examples(H.domain, examples))
        wrong += set(found) != due or len(found) != len(due)
        listed += len(due)
    return Outcome(f"{wrong} of {cases} lists differ, of {listed} hypotheses", wrong == 0 < listed)


@statement("Lyu25 Theorem 3", "changed")
def on_a_fixed_data_set(trial: Trial) -> Outcome:
    """Sets of at most one element, fits to three data sets; and what the proof takes of medians.

    says: an ERM guarantee: few mistakes on any fixed data set that H fits
    scope: sets of at most one element, three data sets; all small hypergeometric medians
    code: learn.IrreducibleLearner.fit, learn.IrreducibleLearner.plan
    proof: proofs/irreducible.md#theorem-4-any-fixed-data-set
    """
    domain, goal = Integers(), {"alpha": 0.4, "beta": 0.1}
    learner = IrreducibleLearner.with_proved_bound(Subsets(domain, 1), Budget(5, "0.01"), **goal)
    bound = learner.plan(**goal, setting="realizable")
    n, rng, failed = 0 if bound is None else bound.n, trial.draws(3), 0
    runs = trial.pick(60, 600)
    for run in range(runs):
        ones = [int(goal["alpha"] * n) + 1, n // 2, n][run % 3]
        counts = {0: [0, ones], **{x: [1, 0] for x in range(1, n - ones + 1)}}
        sample = Sample.from_counts(domain, counts)
        with Ledger() as ledger:
            h = learner.fit(sample, ledger=ledger, dataset="fixed", rng=rng).hypothesis
        failed += (ones * (not h(0)) + sum(h(x) for x in range(1, n - ones + 1))) > goal[
            "alpha"
        ] * n
    sizes = [(N, K, m) for N in range(1, 25) for K in range(N + 1) for m in range(N + 1)]
    low = sum(2 * _at_least(m * K // N, N, K, m) < comb(N, m) for N, K, m in sizes)
    return Outcome(
        f"{failed} of {runs} fits to n = {n:,}; {low} of {len(sizes):,} medians below the mean's floor",
        n > 0 and failed <= runs / 10 and not low,
        stated=f"over {goal['alpha']:g} n mistakes with probability {goal['beta']:g} at most",
    )


@statement("Lyu25 section 5, remark", "changed")
def proper_as_a_whole(trial: Trial) -> Outcome:
    """Half of the distribution is the target, an integer that no list of candidates begins with.

    says: proper: a hypothesis of H, and an error above alpha with probability beta at most
    scope: sets of exactly one integer, whose SOA is no such set; 20 samples of the planned size
    deep: 200 samples
    code: learn.ProperLearner.fit, learn.ProperLearner.plan
    proof: proofs/proper.md#theorem-4-accuracy
    """
    domain, goal, target = Integers(), {"alpha": 0.4, "beta": 0.1}, 10**6
    H = Subsets(domain, 1, exactly=True)
    learner = ProperLearner.with_proved_bound(H, Budget(5, "0.01"), **goal)
    bound = learner.plan(**goal, setting="realizable")
    n, rng, failed, improper = 0 if bound is None else bound.n, trial.draws(51), 0, 0
    runs = trial.pick(20, 200)
    for _ in range(runs):
        ones = sum(rng.random() < 0.5 for _ in range(n))
        counts = {target: [0, ones], **{x: [1, 0] for x in range(n - ones)}}
        sample = Sample.from_counts(domain, counts)
        with Ledger() as ledger:
            h: Any = learner.fit(sample, ledger=ledger, dataset="drawn", rng=rng).hypothesis
        improper += len(h.members) != 1
        failed += not h(target)
    return Outcome(
        f"{improper} of {runs} are not in H, {failed} err more, for n = {n:,}",
        n > 0 and not improper and failed <= runs / 10,
        stated=f"in H, and at most {goal['beta']:g} of the errors are above {goal['alpha']:g}",
    )


def _at_least(t: int, N: int, K: int, m: int) -> int:
    """The sets of m out of N things that hold at least t of K given ones."""
    return sum(comb(K, x) * comb(N - K, m - x) for x in range(t, min(m, K) + 1))


Records = list[tuple[Any, int]]
Runs = list[dict[Any, int]]


def runs_of_lists(
    H: HypothesisClass[Any], records: Records, radii: int, sizes: tuple[int, ...], start: int
) -> Runs:
    """For each dimension, the number of radii that list each rule."""
    found: Runs = [{} for _ in sizes]
    sample = Sample.from_examples(H.domain, records, labels=H.labels)
    for t, rules in lists(H, sample, radii, sizes, start):
        for rule in rules:
            found[t][rule] = found[t].get(rule, 0) + 1
    return found


def moves_as_proved(one: dict[Any, int], other: dict[Any, int], size: int) -> bool:
    """Lemma 2 of docs/proofs/radii.md, for the rules of one dimension."""
    moved = [other[f] - v for f, v in one.items() if f in other]
    lost = [v for f, v in one.items() if f not in other]
    together = any(all(abs(move - z) <= 1 for move in moved) for z in (-1, 0, 1))
    return together and len(lost) <= size and max(lost, default=0) <= 2


def some_class(rng: random.Random, table: np.random.Generator) -> HypothesisClass[Any]:
    """Singletons and more; two at a time; of three labels; or sets of an infinite domain."""
    m, kind = rng.randint(4, 7), rng.randrange(4)
    if kind == 0:
        rows = np.concatenate([np.eye(m, dtype=int), table.integers(0, 2, (rng.randrange(3), m))])
        return FiniteClass.from_array(rows ^ table.integers(0, 2, m))
    if kind == 1:
        eye = np.concatenate([np.zeros((1, m), dtype=int), np.eye(m, dtype=int)])
        return FiniteClass.from_array([[*a, *b] for a in eye for b in eye[:3]])
    if kind == 2:
        return FiniteClass.from_array(table.integers(0, 3, (rng.randint(3, 10), m)), labels=3)
    return Subsets(Integers(), rng.randint(1, 3))


@statement("Radii, Lemma 2")
def one_record_moves_a_run_by_one(trial: Trial) -> Outcome:
    """Random classes and records, each with one record replaced.

    says: one record moves each end of a run of radii by one at most
    scope: random classes and records, each with one record replaced
    stated: the radii of all rules of a dimension move together, up to one for each
    code: learn.papers.radii_lists.lists
    proof: proofs/radii.md#lemma-2-scores
    """
    rng, table = trial.draws(5), trial.array(5)
    tried = wrong = moved = 0
    for _ in range(trial.pick(80, 4000)):
        H = some_class(rng, table)
        d = int(H.littlestone_dimension())
        xs = list(H.domain.examples(6))
        n, radii, few = rng.randint(3, 9), rng.randint(2, 9), rng.sample(xs, rng.randint(1, 4))
        sizes, start = tuple(rng.choice([1, 2, 50]) for _ in range(d)), rng.choice([0, 0, 1, 3])
        records = [(rng.choice(few), rng.randrange(H.labels)) for _ in range(n)]
        one = runs_of_lists(H, records, radii, sizes, start)
        for _ in range(3):
            changed = [*records[1:], (rng.choice(xs), rng.randrange(H.labels))]
            other = runs_of_lists(H, changed, radii, sizes, start)
            for a, b, size in zip(one, other, sizes, strict=True):
                tried += 1
                moved += a != b
                wrong += not (moves_as_proved(a, b, size) and moves_as_proved(b, a, size))
    return Outcome(f"{wrong} of {tried:,} pairs do not; {moved} change", not wrong and moved > 50)
