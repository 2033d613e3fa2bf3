"""Classes of VC dimension 1 as trees: their nodes, clean labels, and any others."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass
from littlestone.dimension import vc_dimension
from littlestone.learn.papers.levels import PathLearner
from littlestone.privacy import Budget
from littlestone.privacy.randomness import chooser
from littlestone.prove.papers.questions import _of_paths
from littlestone.prove.papers.statement import unordered_classes

TREE = _of_paths([-1, 0, 0, 1, 1, 2, 2, 3, 7, 8, 9, 10, -1])
LEARNER = PathLearner.for_goal(TREE, Budget(8, "1e-3"), beta=0.01)


def test_few_errors_on_clean_labels() -> None:
    rng = random.Random(5)
    most = LEARNER.most_errors(beta=0.01)
    for row in TREE.table():
        S = [(x, int(row[x])) for x in rng.choices(range(13), k=600)]
        labels = LEARNER.draw_labels(S, chooser(rng))
        assert sum(labels[x] != y for x, y in S) <= most < 100


def test_any_labels_have_a_draw() -> None:
    rng = random.Random(6)
    for S in ([], [(3, 1), (3, 0)] * 40, [(x, y) for x in range(13) for y in (0, 1)] * 9):
        assert len(LEARNER.draw_labels(S, chooser(rng))) == 13


def test_the_branches_of_a_chain_are_those_of_smaller_dimension() -> None:
    """They begin where fewer mistakes are forced: 3 by 8 hypotheses, and 2 by 7."""
    chain = FiniteClass.from_array(np.tri(9, 8, k=-1, dtype=int))
    learner = PathLearner.for_goal(chain, Budget(1, "1e-6"), beta=0.05)
    assert [len(trunk) for trunk in learner.trunks.values()] == [2, 4, 2, 1]
    assert learner.levels == chain.littlestone_dimension() == 3


def test_nodes_are_nested_or_disjoint_just_if_the_vc_dimension_is_at_most_1() -> None:
    """All classes over three points; levels and trunks keep the bounds of Theorem 4."""
    for H in unordered_classes(3):
        learner = PathLearner(H, Budget(1), 1, LEARNER.thresholds)
        if vc_dimension(H) > 1:
            with pytest.raises(DeclarationError, match="above 1"):
                learner.nodes  # noqa: B018
            continue
        d = int(H.littlestone_dimension())
        assert learner.levels <= d
        assert max(map(len, learner.trunks.values())) < 2 ** (d + 1)
        for trunk in learner.trunks.values():
            assert all(a > b for a, b in pairwise(trunk))
