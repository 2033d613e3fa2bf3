"""What teachers agree on: Lyu25, Theorem 3, with its condition on p; and the lists of all radii."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Subsets
from littlestone.data.sample import Sample
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.proper import ProperLearner, errors
from littlestone.learn.papers.radii_lists import lists
from littlestone.points import Integers
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.rules import Hypothesis


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
