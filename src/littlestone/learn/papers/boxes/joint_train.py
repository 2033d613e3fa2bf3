"""Algorithm 4: k teachers are trained together (Lyu25, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from littlestone.classes import FiniteClass
from littlestone.learn.papers.boxes.base import Rule, Sample, box, reaches
from littlestone.learn.papers.boxes.define_class import define_class, essential_rules
from littlestone.learn.papers.boxes.sparse_sample import sparse_sample
from littlestone.privacy.randomness import Choose


@dataclass(frozen=True)
class Training:
    """The numbers of Algorithm 4, where the paper has O(): 1 / the scale of Lap, and the draws r."""

    epsilon_agree: Fraction
    draws: int
    epsilon_sparse: Fraction
    B: Fraction


def majority(rules: Sequence[Rule]) -> Rule | None:
    """The majority vote of rules, point by point, 0 in a tie; None of none.

    >>> majority([(0, 1), (1, 1), (0, 0)])
    (0, 1)
    """
    votes = list(zip(*rules, strict=True))
    return tuple(int(2 * sum(labels) > len(labels)) for labels in votes) if votes else None


@box("Lyu25 Algorithm 4")
def joint_train(
    H: FiniteClass, S: Sequence[Sequence[Sample]], stage: int, sizes: Training, *, choose: Choose
) -> tuple[Rule | None, int]:
    """The majority of some sparse samples, and the stage j*, which never falls.

    promise: each SparseSample is (epsilon_sparse, hat delta)-DP, hat delta <= delta^2 / d^10
    found: it leaks. B = k / 10 is d^2 / (10 epsilon_sparse), which does not depend on delta; nothing is
        returned after stage d + 1 or for draws that are all bottom
    ours: learn.stream.StagedOnlineLearner
    takes: for d = 1, T = 10,000, epsilon = 1, delta = 1e-6 it has B = 12.8, where Lemma 3.1 asks for
        36,924
    mend: B >= 10 log(L / hat delta) / epsilon_sparse and k above it
    """
    d, k = int(H.littlestone_dimension()), len(S)
    while stage <= d + 1:
        classes = [define_class(H, S_i, stage) for S_i in S]
        lists = [essential_rules(H, rules, 2**stage * d**3, d) for rules in classes]
        m = max(Counter(h for rules in lists for h in rules).values(), default=0)
        if reaches(m, Fraction(4 * k, 5), sizes.epsilon_agree, choose):
            drawn = [
                sparse_sample(lists, epsilon=sizes.epsilon_sparse, B=sizes.B, choose=choose)
                for _ in range(sizes.draws)
            ]
            return majority([h for h in drawn if h is not None]), stage
        stage += 1
    return None, stage
