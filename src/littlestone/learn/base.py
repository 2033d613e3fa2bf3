"""The one interface of a private learner, and explicit sample bounds."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, Self, get_args

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, TooLargeError, no_such, show_value
from littlestone.base.work import searching
from littlestone.classes.base import HypothesisClass, require_class
from littlestone.data.sample import Sample
from littlestone.data.stored import StoredSample
from littlestone.learn.results.estimate import Estimate
from littlestone.learn.results.release import Release
from littlestone.learn.results.risks import Risks
from littlestone.points import Point
from littlestone.privacy.cost import Budget, exact_chance
from littlestone.privacy.draws import Draw
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import MistakeCosts

Setting = Literal["realizable", "agnostic"]

MOST_WORK = 10**8
"""The most steps a fit may take, by `PrivateLearner.work`. If it would take more, nothing is spent."""

MOST_COSTS = 1 << 53
"""The most that the mistakes on all records may cost; sums of floats are exact up to there."""

MOST_SEARCHED = 5_000_000
"""The most steps of the search for the SOA of the declared class, before a spend: about a minute."""


class Caveat(Enum):
    """Why a method is chosen only if no other applies, or only if its name is given."""

    BASELINE = "as a baseline"
    CLEAN_LABELS = "if no label is wrong"
    CLEAN_AND_MANY = "for many records without a wrong label"
    WRONG_LABELS = "if labels may be wrong"
    PROPER = "if the rule must be of the class"
    UNNAMED_KEYS = "if no key need be named"
    MAJORITIES = "for majorities beyond the class"
    FEW_RECORDS = "for up to some thousand records"
    MANY_RECORDS = "for many records, from n times epsilon of 1,200 on"
    RISKS = "if risks are asked for and no class is given"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Bound:
    """A number of examples ``n`` that is proved to suffice for error alpha with probability 1 - beta.

    Realizable setting: err(h) <= alpha if some hypothesis of the class has error 0.  Agnostic setting:
    err(h) <= alpha + min over the class of err.  If mistakes have costs, err is the mean cost in units
    of the larger one.  ``source`` names where the proof is.  If ``versus`` is not empty, it names what
    the error is compared with in place of the best hypothesis of the class.
    """

    n: int
    alpha: float
    beta: float
    setting: Setting
    source: str
    versus: str = ""


class PrivateLearner(Draw[Point]):
    """A differentially private learner: its guarantee holds for every sample, realizable or not.

    A new learner is one file.  It says whether it learns ``several`` labels, what it spends (`event`),
    how it draws and how many examples it needs.  This class does the rest.
    """

    several: ClassVar[bool]
    """Whether it learns classes of more than two labels; every learner declares it."""

    caveat: Caveat | None = None
    """Why it is not chosen if another learner applies; None if there is no reason."""

    takes_alpha: ClassVar[bool] = False
    """Whether its parameters are those for an error, which is then its option ``alpha``."""

    tolerates_label_noise: bool = False
    """Whether it compares hypotheses by their errors, so that wrong labels do not mislead it.

    Other learners look for hypotheses with few errors, which may not exist.
    """

    joint: int = 0
    """The most columns of whose cells its draw asks for counts at once, as `StoredCells` has them.

    0 if it needs the records themselves.
    """

    hypotheses: HypothesisClass[Point]

    @abstractmethod
    def __init__(self, hypotheses: HypothesisClass[Point], budget: Budget) -> None:
        """Raise `DeclarationError` if the learner does not apply; subclasses call this one first."""
        require_class(hypotheses)
        if hypotheses.labels > 2 and not self.several:
            raise DeclarationError(
                f"learn {hypotheses} by the method {self.method}",
                found=f"it learns two labels, and the class has {hypotheses.labels}",
                fix="take another method, such as bits, or learn a rule for one label",
            )
        hypotheses.require_learnable()
        self.hypotheses = hypotheses

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.hypotheses}, {self.event}"

    def unfit(self, *, found: str, declare: str) -> DeclarationError:
        """The error of a class that this method does not learn; see `unfit`."""
        return unfit(self.hypotheses, self.method, found=found, declare=declare)

    @property
    def detail(self) -> str:
        """How it learns, in a few words next to the method's name; empty if the name says it."""
        return ""

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The number of examples that suffice for error ``alpha`` with probability 1 - ``beta``.

        None if nothing is proved, as it is by default.
        """
        require_plan(alpha, beta, setting)
        return None

    def bound(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """`plan`, or None also if finding the size takes more steps than a limit allows."""
        try:
            return self.plan(alpha, beta, setting=setting)
        except TooLargeError:
            return None

    def is_enough(
        self, n: int, alpha: float, beta: float, *, setting: Setting = "agnostic"
    ) -> bool:
        """Whether ``n`` examples are proved to suffice; `accuracy` asks this many times."""
        bound = self.plan(alpha, beta, setting=setting)
        return bound is not None and bound.n <= n

    def work(self, n: int) -> int:
        """The approximate maximum number of steps of a fit to ``n`` records.

        The few steps that every record takes are not counted.  In a step the learner looks at one
        version space or hypothesis, which takes from some microseconds to a millisecond.  The number
        depends on declarations and on n, which is public.
        """
        return 0

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        """The learners that a fit to ``n`` records runs, with the most records that each is given."""
        return ()

    def require_affordable(self, n: int) -> None:
        """Raise `TooLargeError` if `work` passes `MOST_WORK`, or if costs may pass `MOST_COSTS`.

        So does each learner that it `runs`.  It is called before anything is spent.
        """
        # Before anything is spent, and from n and declarations only: a refusal must not depend on
        # records.
        for learner, most in self.runs(n):
            learner.require_affordable(most)
        if n * self.mistakes.largest > MOST_COSTS:
            raise TooLargeError(
                f"learn from {n:,} records"
                + ("" if self.mistakes.equal else f" if {self.mistakes}"),
                found="their mistakes may cost more than 2^53 in all, beyond which sums are inexact",
                fix="give fewer records, or rounder costs",
            )
        work = self.work(n)
        if work > MOST_WORK:
            raise TooLargeError(
                f"learn from {n:,} records by the method {self.method}",
                found=f"it may take about 10^{len(str(work)) - 1} steps, more than {MOST_WORK:,}",
                fix="take the method auto or another, allow a larger epsilon or delta, or declare a "
                "smaller class",
            )

    def accuracy(self, n: int, beta: float, *, setting: Setting = "agnostic") -> float | None:
        """The least alpha, to three digits, for which ``n`` examples are proved to suffice.

        None if even alpha = 1/2 needs more examples.  The result depends on n alone, not on the data.
        """

        def suffices(alpha: float) -> bool:
            try:
                return self.is_enough(n, alpha, beta, setting=setting)
            except TooLargeError:
                return False

        high = 0.5
        if not suffices(high):
            return None
        # Search from above: the size for a much too small alpha may take long to find.
        while high > 1e-9 and suffices(high / 2):
            high /= 2
        low = high / 2
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return high

    @classmethod
    def for_error(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: object
    ) -> Self:
        """The learner as used for error ``alpha``; most learners are the same for every alpha."""
        own: Any = cls
        made: Self = own(hypotheses, budget, **({"alpha": alpha} if cls.takes_alpha else {}))
        return made

    @classmethod
    def weighing(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, mistakes: MistakeCosts
    ) -> PrivateLearner[Point]:
        """The learner that counts each mistake as what it costs.

        Its ``alpha`` are mean costs a record, in units of the larger of the two costs.  Most learners
        look for few errors, and raise `DeclarationError` here.
        """
        raise DeclarationError(
            f"learn by the method {cls.method} if {mistakes}",
            found="it counts every mistake as one",
            fix="leave the costs out, or take the method auto",
        )

    def require_errors(self, method: str) -> None:
        """Raise `DeclarationError` if mistakes have costs, for a ``method`` that needs few errors."""
        if not self.mistakes.equal:
            raise DeclarationError(
                f"build the method {method} on a learner for which {self.mistakes}",
                found="what is proved about it needs few errors, whatever they cost",
                fix="make that learner without costs",
            )

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> PrivateLearner[Point]:
        """The learner with parameters for which `plan` (alpha, beta) is proved, if there are any.

        A learner whose usual parameters are calibrated overrides this method.
        """
        return cls(hypotheses, budget)

    def fit(
        self,
        sample: Sample[Point],
        *,
        ledger: Ledger,
        dataset: str,
        label: str = "label is 1",
        labels: tuple[str, ...] = (),
        estimate: Fraction | None = None,
        risk: Fraction | None = None,
        purpose: str = "",
        promise: str = "",
        rng: random.Random | None = None,
    ) -> Release:
        """Spend `cost` on ``dataset`` in the ledger, then draw and release a hypothesis.

        ``label`` says what a positive label means, or what the labels are about if ``labels`` gives
        their names.  With an epsilon ``estimate`` the release has an `Estimate` too, with shares of
        unread cells and labels if the sample counts these.  With an epsilon ``risk`` it has `Risks`.
        One ledger entry then records `event_with`, so a refused budget refuses all.  ``rng`` is the
        system's cryptographic generator by default; a seeded one marks the release as not private.

        If the sample declares a unit, the cost is about one unit replaced.  The ledger's entry says
        "learn LABEL from CLASS", or ``purpose`` in place of "learn LABEL".  The release keeps a
        ``promise``, which says in public words what is proved about its accuracy.

        Raises, before anything is spent, `DeclarationError` for a sample over another domain, with
        another number of labels or with a unit that `event_with` refuses, and `TooLargeError` for too
        much work.  Raises, before anything is drawn, `BudgetExceededError` or `LedgerError`.
        """
        # All that may be refused comes before the spend.
        require_fitting(sample, self.hypotheses, labels)
        if isinstance(sample, StoredSample) and not self.joint:
            raise DeclarationError(
                f"learn by the method {self.method} from records that stay in their engine",
                found="it needs the records",
                fix="read them: read_sample(table, domain, label)",
            )
        what = f"{purpose or f'learn {label}'} from {self.hypotheses}"
        if not self.mistakes.equal and not purpose:
            what += f"; {self.mistakes}"
        self.require_affordable(sample.n)
        sample.count_ahead(self.joint)
        # Compute everything possible before the spend, so that little can fail after it.
        release = partial(
            Release,
            hypotheses=str(self.hypotheses),
            label=label,
            labels=labels,
            n=sample.n,
            unit=sample.unit,
            spanning=sample.spanning,
            mistakes=self.mistakes,
            accuracy=promise,
            method=self.method,
        )
        drawn = self.pay_and_draw(
            sample, ledger=ledger, dataset=dataset, what=what, estimate=estimate, risk=risk, rng=rng
        )
        return release(
            hypothesis=drawn.hypothesis,
            cost=drawn.cost,
            mechanism=drawn.mechanism,
            private=drawn.private,
            receipt=drawn.receipt,
            estimate=Estimate.from_counts(drawn.counts, sample.n),
            risks=Risks.from_counts(drawn.hypothesis, drawn.places, sample.n),
            total=drawn.total,
            limit=drawn.limit,
        )


def kinds_of_learners() -> list[type[PrivateLearner[Any]]]:
    """Every learner, those of other packages too, in the order of their names.

    >>> [kind.method for kind in kinds_of_learners()][:3]
    ['agnostic', 'bit_parts', 'bits']
    """
    # Each is in a module of these two rooms, and to import the other rooms takes long.
    return concrete(PrivateLearner, "littlestone.learn", "papers")  # type: ignore[type-abstract]


class WeighedLearner(PrivateLearner[Point]):
    """With ``cost`` = (a, b) it counts a missed positive as a errors and a false alarm as b."""

    @abstractmethod
    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget)
        self.mistakes = MistakeCosts.parse(cost)

    @classmethod
    def weighing(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, mistakes: MistakeCosts
    ) -> Self:
        return cls(hypotheses, budget, cost=mistakes)


def unfit(
    hypotheses: HypothesisClass[Any], method: str, *, found: str, declare: str, online: bool = False
) -> DeclarationError:
    """The error of a method that does not learn this class.

    ``found`` says why not, and ``declare`` names classes that it learns.
    """
    return DeclarationError(
        f"learn {hypotheses} {'online ' if online else ''}by the method {method}",
        found=found,
        fix=f"take another method, or declare {declare}",
    )


def dimension_up_to(hypotheses: HypothesisClass[Any], most: int, *, asked: str) -> int:
    """LDim(H) if it is at most ``most``; else raises `TooLargeError`, which says what was ``asked``.

    >>> from littlestone.classes import Thresholds
    >>> dimension_up_to(Thresholds.on(0, 6), 3, asked="learn them")
    3
    """
    d = int(hypotheses.littlestone_dimension())
    if d > most:
        raise TooLargeError(
            asked,
            found=f"the Littlestone dimension of {hypotheses} is {d:,}, and at most {most} will do",
            fix="declare a smaller class, or take another method",
        )
    return d


def require_votes(hypotheses: HypothesisClass[Any], method: str, *, online: bool = False) -> None:
    """Raise `DeclarationError` if a majority vote of the class's functions has no canonical form."""
    from littlestone.rules.majorities import has_majority

    if not has_majority(hypotheses.domain, hypotheses.soa):
        raise unfit(
            hypotheses,
            method,
            found="a majority vote of its rules has no form in which equal ones are equal",
            declare="a class on at most 2^20 points",
            online=online,
        )


def has_rule(H: HypothesisClass[Any]) -> bool:
    """Whether SOA_H is found in `MOST_SEARCHED` steps.

    A search in a table or a set of rules may take any time; what it finds is kept for the fit.  The
    searches of teachers are in version spaces, which are smaller.  Their steps are not counted, because
    a teacher skips a search that another made.
    """
    try:
        with searching(MOST_SEARCHED):
            H.soa()
    except TooLargeError:
        return False
    return True


def require_rule(H: HypothesisClass[Any]) -> None:
    """Raise `TooLargeError` unless `has_rule`; called before anything is spent."""
    if not has_rule(H):
        raise TooLargeError(
            f"find the rule of {H} that learning begins with",
            found=f"the search for it needs more than {MOST_SEARCHED:,} steps",
            fix="declare fewer columns or shorter ranges",
        )


def require_fitting(
    sample: object, hypotheses: HypothesisClass[Any], names: tuple[str, ...] = ()
) -> None:
    """Raise `DeclarationError` unless the sample is not empty and has the class's domain and labels."""
    # Domains and labels are declarations, so comparing them tells nothing about the records.
    domain = hypotheses.domain
    if not isinstance(sample, Sample) or sample.domain != domain:
        over = f" over {sample.domain}" if isinstance(sample, Sample) else ""
        raise DeclarationError(
            f"learn {hypotheses} from a {type(sample).__name__}{over}",
            found=f"the class needs a Sample over {domain}",
            fix="make one with read_sample(table, domain, label) or Sample.from_examples(domain, "
            "examples), with the domain of the class",
        )
    counts = {sample.labels, hypotheses.labels, len(names) or hypotheses.labels}
    if len(counts) > 1:
        raise DeclarationError(
            f"learn {hypotheses} from a sample of {sample.labels} labels"
            + (f" with {len(names)} names" if names else ""),
            found=f"the class has {hypotheses.labels} labels",
            fix="declare the same number of labels everywhere",
        )
    if sample.n < 1:  # n is public
        raise DeclarationError(
            f"learn {hypotheses} from a sample",
            found="it has no examples",
            fix="give at least one",
        )


def exact_alpha(alpha: object) -> Fraction:
    """The accuracy a learner aims at, as an exact number; `DeclarationError` unless 0 < alpha < 1.

    >>> exact_alpha("0.1")
    Fraction(1, 10)
    """
    return exact_chance(
        alpha,
        what="alpha",
        asked="learn with alpha (accuracy)",
        fix="give a small probability, such as 0.1",
    )


def require_plan(alpha: float, beta: float, setting: str = "agnostic") -> None:
    """Raise `DeclarationError` unless 0 < alpha, beta < 1 and the setting is one of the two."""
    if not isinstance(setting, str) or setting not in get_args(Setting):
        raise no_such(
            f"plan for the setting {show_value(setting)}", "setting", setting, get_args(Setting)
        )
    named: dict[str, Any] = {"alpha (accuracy)": alpha, "beta (confidence)": beta}
    for name, value in named.items():
        if not isinstance(value, Real) or not 0 < float(value) < 1:
            raise DeclarationError(
                f"plan with {name} = {show_value(value)}",
                found="it must lie strictly between 0 and 1",
                fix="give a small probability, such as 0.05",
            )
