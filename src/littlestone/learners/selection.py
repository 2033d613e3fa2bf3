"""Private selection: the best rule of several classes or methods, by its private number of errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from operator import itemgetter
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.union import ScoredUnion
from littlestone.domains import Point
from littlestone.errors import DeclarationError
from littlestone.hypotheses import Hypothesis
from littlestone.learners.base import Bound, Caveat, PrivateLearner, Setting, require_plan, unfit
from littlestone.learners.estimate import errors
from littlestone.learners.exponential import ExponentialLearner
from littlestone.privacy.accounting.selected import Repeats, Selected
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import exact_chance, rounded_down
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.scores.cell_counts import CellCounts
from littlestone.sample import Sample

Made = Callable[[HypothesisClass[Any], Budget], PrivateLearner[Any]]
Law = dict[tuple[Hypothesis[Any], int], Fraction]

_RUNS = 20  # the most runs for each candidate: then one is never run with probability below 1/20


class SelectionLearner(PrivateLearner[Point]):
    """Run K learners, each drawn uniformly among ``candidates``, and release the best of K rules.

    1. K is drawn from `Repeats` (``factor``, ``most``), without looking at the records.
    2. Each run draws a candidate, its rule h, and the score errors(h) + X with discrete Laplace X.
    3. The rule of the least score is released; among equal scores, that of the earliest run.

    A score below -n or above 2 n counts as -n or 2 n.  One run has epsilon / factor: the share
    ``scored`` of it is for the score, and the rest for the rule.  So trying many classes costs
    ``factor`` = 2 or 3 times one class, however many they are.  (epsilon, delta)-DP for every sample.

    ``candidates`` are pairs of a class and its learner, all with the domain and labels of
    ``hypotheses``, which names what is learned.  By default they are the parts of a union that is too
    large for a table, each with its exponential learner.  ``most`` is by default 20 for each candidate.
    With m candidates and the factor 3, one of them is never run with probability below m / most.

    Time: at most ``most`` runs, on average half of it for the factor 3.  Raises `DeclarationError` for
    illegal parameters, other domains, and learners that do not apply.  Source: LT19, PS22;
    docs/proofs/private-selection.md.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("union(thresholds(x, 0..99999), intervals(x, 0..99999))")
    >>> learner = SelectionLearner(H, Budget(1))
    >>> learner.repeats.most, [str(c.cost().epsilon) for c in learner.candidates]
    (40, ['1/4', '1/4'])
    >>> str(learner.cost())
    'epsilon 1, delta 0 (replace-one)'
    """

    method = "selection"
    several = True
    caveat = Caveat.CANDIDATES
    tolerates_label_noise = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        candidates: Iterable[tuple[HypothesisClass[Point], Made]] | None = None,
        factor: int = 3,
        most: int | None = None,
        scored: object = Fraction(1, 4),
    ) -> None:
        super().__init__(hypotheses, budget)
        if candidates is None:
            if not isinstance(hypotheses, ScoredUnion):
                raise unfit(
                    hypotheses,
                    self.method,
                    found="it chooses among the parts of a union that is too large for a table",
                    declare="such a union, or in Python the candidates of SelectionLearner",
                )
            candidates = [(part, ExponentialLearner) for part in hypotheses.parts]
        pairs = list(candidates)
        self.repeats = Repeats(factor, _RUNS * max(1, len(pairs)) if most is None else most)
        share = exact_chance(
            scored,
            what="scored",
            asked="score the rules with a share of epsilon",
            fix="give a share such as 0.25",
        )
        run = budget.epsilon / factor
        # `Selected.cost` rounds up to six digits, and so stays below a number of six digits.
        delta = rounded_down(rounded_down(budget.delta) / self.repeats.mean, 12)
        self.score = CellCounts(run * share, 1)
        rule = Budget(run - self.score.epsilon, delta)
        self.candidates = tuple(made(H, rule) for H, made in pairs)
        for candidate in self.candidates:
            self._require_alike(candidate, rule)
        self._event = Selected(
            [candidate.event for candidate in self.candidates], self.score, self.repeats
        )

    def _require_alike(self, candidate: PrivateLearner[Any], rule: Budget) -> None:
        """Raise `DeclarationError` unless ``candidate`` makes rules like those of the others."""
        H, own = candidate.hypotheses, self.hypotheses
        if (H.domain, H.labels) != (own.domain, own.labels) or not candidate.mistakes.equal:
            raise DeclarationError(
                f"choose between {H} and other classes",
                found=f"candidates must have {own.labels} labels on {own.domain}, and no costs",
                fix="declare all classes over the same columns, with the same labels",
            )
        if not candidate.cost().within(rule.cost):
            raise DeclarationError(
                f"run {candidate} as a candidate",
                found=f"one run may cost {rule}",
                fix="give a function that makes the learner with the budget it is called with",
            )

    @property
    def detail(self) -> str:
        methods = " or ".join(dict.fromkeys(c.method for c in self.candidates))
        return f"the best of up to {self.repeats.most:,} runs of {methods}"

    @property
    def event(self) -> Selected:
        return self._event

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        for candidate in self.candidates:
            candidate.require_affordable(n)
            candidate.hypotheses.load(n)  # before the spend, as `fit` does for the class it learns

    def work(self, n: int) -> int:
        """Every run may be of the slowest candidate, and looks up the label of every record."""
        return self.repeats.most * (max(c.work(n) for c in self.candidates) + n // 10)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rng = receipt.redeem(self.event)  # redeemed now, because the number of runs is drawn first
        runs: list[tuple[int, Hypothesis[Point]]] = []
        for _ in range(self.repeats.draw(rng)):
            candidate = self.candidates[rng.randrange(len(self.candidates))]
            rule = candidate.draw(sample, receipt=receipt)
            (noisy,) = self.score.draw(self.counted(rule, sample), receipt=receipt)
            runs.append((min(max(noisy, 0), 3 * sample.n), rule))
        return min(runs, key=itemgetter(0))[1]  # the earliest of equal scores; there is a run

    def counted(self, rule: Hypothesis[Point], sample: Sample[Point]) -> tuple[int]:
        """The number of records plus that of the errors of ``rule``: what the noise is added to.

        It depends on the data: for the `score` only.  Noise may move it by n before a score is cut off.
        """
        return (sample.n + errors(rule, sample),)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each rule.  It depends on the data: for audits only.

        Every candidate must know its own exact law, by a method of this name.
        """
        total: dict[Hypothesis[Point], Fraction] = {}
        for (rule, _), mass in self.law_of_best(sample).items():
            total[rule] = total.get(rule, Fraction(0)) + mass
        return total

    def law_of_best(self, sample: Sample[Point]) -> Law:
        """The exact law of the released rule together with its score, which is not released.

        Of all runs, none has a score below z with probability E[Pr[score >= z]^K].
        """
        law = self.law_of_run(sample)
        levels: dict[int, Fraction] = {}
        for (_, score), mass in law.items():
            levels[score] = levels.get(score, Fraction(0)) + mass
        reached, before, best = Fraction(1), Fraction(1), dict[int, Fraction]()
        for score in sorted(levels):
            reached -= levels[score]
            after = self.repeats.power(reached)
            best[score], before = before - after, after
        # Given the least score, the earliest run with it has the law of one run with this score.
        return {(h, z): best[z] * mass / levels[z] for (h, z), mass in law.items()}

    def law_of_run(self, sample: Sample[Point]) -> Law:
        """The exact law of the rule and the score of one run."""
        law: Law = {}
        for candidate in self.candidates:
            drawn: dict[Hypothesis[Point], Fraction] = candidate.distribution(sample)  # type: ignore[attr-defined]
            for rule, mass in drawn.items():
                share = mass / len(self.candidates)
                noisy = self.score.distribution(self.counted(rule, sample), 3 * sample.n)
                for (score,), chance in noisy.items():
                    law[rule, score] = law.get((rule, score), Fraction(0)) + share * chance
        return law

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """None: nothing is proved about its accuracy."""
        require_plan(alpha, beta, setting)
        return None
