"""Lyu25: lists of hypotheses, of few columns and of error balls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

import numpy as np

from littlestone.classes import FiniteClass, HypothesisClass, Points, Thresholds
from littlestone.data.sample import Sample
from littlestone.points import Integers
from littlestone.prove.papers.lyu25 import (
    CUBE,
    _classes,
    _dimension_and_essentials,
    _random_classes,
    _settings,
    _singletons,
)
from littlestone.prove.papers.statement import (
    Outcome,
    Trial,
    statement,
)
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
