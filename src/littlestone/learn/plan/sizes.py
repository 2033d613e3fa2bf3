"""Everything known about how many records a class takes, and how many mistakes a stream."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.base.markup import grid, tag
from littlestone.base.work import track_items
from littlestone.classes.base import HypothesisClass, require_class
from littlestone.learn.base import Bound, PrivateLearner, Setting, require_plan
from littlestone.learn.papers.globally_stable import LARGEST, paper_sizes
from littlestone.learn.plan.choice import ALPHA, BETA, Candidate, candidates
from littlestone.learn.plan.lower import LowerBound, lower_bounds
from littlestone.learn.plan.lower_mistakes import LowerMistakes, lower_mistakes
from littlestone.learn.plan.missed import for_records, least_records, too_few
from littlestone.learn.plan.simulated_sizes import CalibratedSize
from littlestone.learn.stream import KnownMistakes, online_candidates
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.parameters import least, natural_log, require_horizon


@dataclass(frozen=True)
class StatedSize:
    """A number of records, or of mistakes, that a theorem states.

    ``at_one`` has 1 for the constant of its O(), and natural logarithms; logarithms that an O~() hides
    are left out.  So it is not a theorem.  ``proof`` is the least number with the constants of the
    paper's own proof; None if the proof leaves any out.  All are for error alpha with probability 1 -
    beta, in ``setting``.
    """

    theorem: str
    setting: Setting
    at_one: int
    proof: int | None = None


def formulas(
    H: HypothesisClass[Any], budget: Budget, *, alpha: float, beta: float
) -> list[StatedSize]:
    """The numbers of records that papers state for H; d = LDim(H), L = ln(1 / (delta beta)).

    * Lecture 5, Theorem 1, any labels: (ln |H| + ln(1/beta)) max(1 / (epsilon alpha), 1 / alpha^2).
    * BLM20, Theorem 1: 16^d d^2 (d + L) / (epsilon alpha).  Its proof is that of Theorems 10 and 17.
    * BLM20, Corollary 2, any labels: that plus (d + ln(1/beta)) / (epsilon alpha^2), with d for VC(H).
    * BGS21, Theorem 3.5, of GGKM21: d^6 ln(d / (alpha beta epsilon delta))^2 / (epsilon alpha^2).
    * Lyu25, Theorem 2: d^5 L / (epsilon alpha), with the L of the abstract: the theorem has
      ln(1 / delta), and the beta in the O~().

    With k + 1 > 2 labels, where d = MLS(H):

    * BGS21, Theorem 3.6: d^6 ln(k + 1)^8 M^2 / (epsilon alpha^2), where M is
      ln(d ln(k)^3 / (epsilon delta alpha beta)).
    * Its Corollary 3.4 with Lyu25's learner: (6 d)^5 ln(k + 1)^7 L / (epsilon alpha), without the
      log(k + 1) of its beta / log(k + 1).  Theorem 3.6 has the 6 in its O().

    Left out are those that need a delta above 0, a dimension that takes too long to find, or more than
    10^300 records.

    >>> from littlestone.classes import parse_class
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> for stated in formulas(parse_class("subsets(a; at most 2)"), **goal):
    ...     print(stated.theorem, stated.at_one, stated.proof)
    BLM20 Theorem 1 192628 258121979
    BLM20 Corollary 2 193127 None
    BGS21 Theorem 3.5 2510825 None
    Lyu25 Theorem 2 5380 None
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> [stated.at_one for stated in formulas(H, **goal)]
    [56511443, 613583278]
    """
    require_plan(alpha, beta)
    epsilon, doubt = float(budget.epsilon), -math.log(beta)
    found: list[StatedSize] = []
    if H.labels == 2 and H.size:
        log = math.log(H.size)
        # Constants inside O() are 1 here, and the sizes of the proofs stand beside them.
        factor = max(1 / (epsilon * alpha), alpha**-2)
        found += _state_size("L5 Theorem 1", lambda: (log + doubt) * factor, setting="agnostic",
                         proof=lambda: _lecture5(log, epsilon, alpha, beta))  # fmt: skip
    d = _dimension(H) if budget.delta else 0
    if d < 1:
        return found
    rare = doubt - natural_log(budget.delta)
    if H.labels == 2:
        found += _state_size(
            "BLM20 Theorem 1",
            lambda: 16.0**d * d**2 * (d + rare) / (epsilon * alpha),
            proof=lambda: paper_sizes(d, alpha, beta, budget).n if d <= LARGEST else None,
        )
        found += _state_size(
            "BLM20 Corollary 2",
            lambda: (16.0**d * d**2 * (d + rare) + (d + doubt) / alpha) / (epsilon * alpha),
            setting="agnostic",
        )
        inside = math.log(d) - math.log(epsilon * alpha) + rare
        found += _state_size("BGS21 Theorem 3.5", lambda: d**6 * inside**2 / (epsilon * alpha**2))
        found += _state_size("Lyu25 Theorem 2", lambda: d**5 * rare / (epsilon * alpha))
        return found
    log = math.log(H.labels)
    inside = math.log(d) + 3 * math.log(math.log(H.labels - 1)) - math.log(epsilon * alpha) + rare
    found += _state_size(
        "BGS21 Theorem 3.6", lambda: d**6 * log**8 * inside**2 / (epsilon * alpha**2)
    )
    return found + _state_size(
        "BGS21 Corollary 3.4 with Lyu25 Theorem 2",
        lambda: (6 * d) ** 5 * log**7 * rare / (epsilon * alpha),
    )


def stream_formulas(H: HypothesisClass[Any], budget: Budget, *, horizon: int) -> list[StatedSize]:
    """The mistakes on a stream that Lyu25, Theorem 1, states: d^9.5 ln(T) ln(1/delta) / epsilon.

    It is for a realizable stream that is fixed in advance, and holds with probability 1 - T^-10.
    Omitted where `formulas` omits it, and for more than two labels, which the paper does not cover.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(a; at most 4)")
    >>> [stated.at_one for stated in stream_formulas(H, Budget(1, "1e-6"), horizon=200_000)]
    [88412325]
    """
    require_horizon(horizon)
    d = _dimension(H) if budget.delta and H.labels == 2 else 0
    if d < 1:
        return []
    logarithms = math.log(horizon) * -natural_log(budget.delta)
    return _state_size("Lyu25 Theorem 1", lambda: d**9.5 * logarithms / float(budget.epsilon))


def _state_size(
    theorem: str,
    at_one: Callable[[], float],
    *,
    setting: Setting = "realizable",
    proof: Callable[[], int | None] = lambda: None,
) -> list[StatedSize]:
    try:
        n = math.ceil(at_one())
    except OverflowError:
        return []
    try:
        return [StatedSize(theorem, setting, n, proof())]
    except TooLargeError:
        return [StatedSize(theorem, setting, n)]


def _lecture5(log: float, epsilon: float, alpha: float, beta: float) -> int:
    """The least n with N (e^(-epsilon n alpha / 6) + 2 e^(-2 n alpha^2 / 9)) <= beta, log = ln N."""
    return least(
        lambda n: (
            math.exp(min(log - epsilon * n * alpha / 6, 1.0))
            + 2 * math.exp(min(log - 2 * n * alpha**2 / 9, 1.0))
            <= beta
        )
    )


def _dimension(H: HypothesisClass[Any]) -> int:
    """LDim(H); 0 if it takes too long to find."""
    try:
        H.require_learnable()
        return int(H.littlestone_dimension())
    except TooLargeError:
        return 0


def in_digits(n: int | None) -> str:
    """A number of records; above a million million, its first digits.

    >>> in_digits(None), in_digits(10**15 + 1)
    ('-', '1e+15')
    """
    return "-" if n is None else f"{n:,}" if n < 10**12 else f"{n:.3g}"


@dataclass(frozen=True)
class Row:
    """The sample sizes of one method that applies; None if nothing is known.

    ``realizable`` and ``agnostic`` are proved for the learner as `fit` uses it; ``calibrated`` is
    simulated for it.  If nothing is proved for it in the realizable setting, ``tuned`` and
    ``tuned_agnostic`` may be proved for other parameters: those of `PrivateLearner.with_proved_bound`.
    """

    method: str
    learner: PrivateLearner[Any] = field(repr=False)
    realizable: Bound | None
    agnostic: Bound | None
    tuned: Bound | None
    calibrated: CalibratedSize | None
    tuned_agnostic: Bound | None = None

    @property
    def versus(self) -> str:
        """What the agnostic size compares with, if not with the best hypothesis of the class."""
        return "" if self.agnostic is None else self.agnostic.versus

    @property
    def least_records(self) -> int | None:
        """The records that are too few for a rule that errs less than the more frequent label."""
        return least_records(self.learner)

    def sizes(self) -> dict[str, int | None]:
        """The sizes under the headings of a table; those for other parameters than `fit` uses too."""
        found = {
            "proved, clean labels": self.realizable or self.tuned,
            "any labels": self.agnostic or self.tuned_agnostic,
            "calibrated": self.calibrated,
        }
        return {heading: None if size is None else size.n for heading, size in found.items()}


@dataclass(frozen=True)
class AtN:
    """The promises of one method for n records.

    ``realizable`` and ``agnostic`` are the least alpha that is proved, at confidence 1 - beta, or None
    if not even 1/2 is.  ``calibrated`` says whether n reaches the calibrated size; None without one.
    ``refused`` is why `fit` does not take n records, and empty if it does.
    """

    method: str
    realizable: float | None
    agnostic: float | None
    calibrated: bool | None
    refused: str


@dataclass(frozen=True)
class Plan:
    """The ``rows`` of the methods that apply, `fit`'s default first; the others; and what binds all.

    These are the ``lower`` bounds, for two labels, and the ``formulas`` of papers.  With ``mistakes``,
    errors are mean costs in units of the larger cost, which no paper covers.
    """

    hypotheses: str
    cost: PrivacyCost
    alpha: float
    beta: float
    rows: tuple[Row, ...]
    excluded: tuple[Candidate, ...]
    lower: tuple[LowerBound, ...]
    formulas: tuple[StatedSize, ...] = ()
    mistakes: MistakeCosts | None = None

    @property
    def goal(self) -> str:
        """What the sizes are for, in words."""
        with_probability = f"with probability {100 * (1 - self.beta):g}%"
        if self.mistakes is None:
            return f"error {100 * self.alpha:g}% {with_probability}"
        cost = f"a mean cost of {self.alpha * self.mistakes.largest:g}"
        share = f"{100 * self.alpha:g}% of the larger: {self.mistakes}"
        return f"{cost} ({share}) {with_probability}"

    def __str__(self) -> str:
        """A line for each method of which a size is proved, and one for each lower bound."""

        def show_size(bound: Bound | None) -> str:
            return "-" if bound is None else f"{bound.n:,}"

        lines = [f"records for {self.goal}, {self.cost}: {self.hypotheses}"]
        proved_rows = [row for row in self.rows if row.realizable or row.agnostic]
        for row in proved_rows:
            clean, any_labels = show_size(row.realizable), show_size(row.agnostic)
            proved = f"proved {clean} (clean labels), {any_labels} (any)"
            versus = f", above {row.versus}" if row.versus else ""
            lines.append(f"  {row.method}: {proved}{versus}")
        if without := [row.method for row in self.rows if row not in proved_rows]:
            lines.append(f"  nothing is proved of {', '.join(without)}")
        lines += [f"  at least {bound.n:,}: {bound.learners}" for bound in self.lower]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The sizes and the lower bounds as tables, for a notebook."""
        title = tag("p", f"records for {self.goal}, {self.cost}: {self.hypotheses}")
        rows = [[row.method, *map(in_digits, row.sizes().values())] for row in self.rows]
        headings = ["method", *(self.rows[0].sizes() if self.rows else ())]
        found = title + grid(headings, rows)
        if not self.lower:
            return found
        bounds = [[bound.learners, f"{bound.n:,}"] for bound in self.lower]
        return found + grid(["lower bound for", "records at least"], bounds)

    def plot(self, axes: Any = None) -> Any:
        """Draw the sizes on a logarithmic axis of matplotlib, by default new ones; return the axes.

        A vertical line is the largest lower bound, for the learners that it names.  Raises
        `OutputError` if matplotlib is not installed, and `DeclarationError` if no size is known.
        """
        from littlestone.show.tree import chart_of_plan

        return chart_of_plan(self).plot(axes)

    def at(self, n: int) -> list[AtN]:
        """The promises of each method for n records, whatever these contain.

        >>> from littlestone.classes import parse_class
        >>> found = plan(parse_class("points(merchant)"), Budget(1, "1e-6")).at(1000)[0]
        >>> found.method, round(found.realizable, 3)
        ('choosing', 0.041)
        """
        return [
            AtN(
                row.method,
                row.learner.accuracy(n, self.beta, setting="realizable"),
                row.learner.accuracy(n, self.beta),
                None if row.calibrated is None else n >= row.calibrated.n,
                _refusal(row.learner, n),
            )
            for row in self.rows
        ]

    def method_for(self, n: int) -> str | None:
        """The method that `fit` takes for n records if none is named; None if none applies.

        >>> from littlestone.classes import parse_class
        >>> found = plan(parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)"), Budget(1))
        >>> found.rows[0].method, found.method_for(500), found.method_for(20_000)
        ('exponential', 'exponential', 'regrown')
        """
        return for_records(self.rows[0].learner, n).method if self.rows else None

    def too_few(self, n: int) -> str | None:
        """What `fit` says before its spend if n records are too few for its default; else None."""
        return too_few(self.rows[0].learner, n) if self.rows else None


def _refusal(learner: PrivateLearner[Any], n: int) -> str:
    try:
        learner.require_affordable(n)
    except TooLargeError as error:
        return f"cannot {error.asked}: {error.found}"
    return ""


def plan(
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    mistakes: MistakeCosts | None = None,
) -> Plan:
    """The number of records each learner of H needs for error alpha with probability 1 - beta.

    It depends on these declarations alone: no data are read.  Raises `DeclarationError` for illegal
    declarations and for classes that no method learns.  Takes milliseconds to two seconds; sizes that
    take longer to find, such as those of `irreducible` for a Littlestone dimension above 24, are left
    out.

    With ``mistakes``, alpha is a mean cost in units of the larger cost, and only learners that count
    each mistake as what it costs have a row.

    >>> from littlestone.classes import parse_class
    >>> found = plan(parse_class("subsets(merchant; at most 2)"), Budget(1, "1e-6"))
    >>> found.rows[0].method, found.rows[0].realizable.n
    ('partition', 667)
    >>> [bound.n for bound in found.lower]
    [29, 68, 209]
    """
    require_class(H)
    H.require_learnable()
    goal: dict[str, Any] = {"budget": budget, "alpha": alpha, "beta": beta}
    if mistakes is not None:
        mistakes.require_rule(H.labels)
    found = candidates(H, **goal, mistakes=mistakes)
    return Plan(
        hypotheses=str(H),
        cost=budget.cost,
        alpha=alpha,
        beta=beta,
        rows=tuple(
            _row(H, c, c.learner, goal)
            for c in track_items(found, "looking for sizes")
            if c.learner is not None
        ),
        excluded=tuple(c for c in found if c.learner is None),
        lower=tuple(_lower(H, goal, mistakes)) if H.labels == 2 else (),
        formulas=tuple(formulas(H, **goal)) if mistakes is None else (),
        mistakes=mistakes,
    )


def _lower(
    H: HypothesisClass[Any], goal: dict[str, Any], mistakes: MistakeCosts | None
) -> list[LowerBound]:
    """The lower bounds; every mistake costs the smaller cost at least."""
    most = 1.0 if mistakes is None else mistakes.largest / min(mistakes.weights)
    alpha = goal["alpha"] * most
    return lower_bounds(H, **{**goal, "alpha": alpha}) if alpha < 1 else []


def _row(
    H: HypothesisClass[Any], found: Candidate, learner: PrivateLearner[Any], goal: dict[str, Any]
) -> Row:
    alpha, beta = goal["alpha"], goal["beta"]
    clean = found.clean or learner.bound(alpha, beta, setting="realizable")
    tuned = agnostic = None
    # `fit`'s parameters have no proved size, so those that do are shown beside them.
    if clean is None and learner.mistakes.equal:
        try:
            other = type(learner).with_proved_bound(H, **goal)
        except TooLargeError:
            other = learner
        tuned, agnostic = other.bound(alpha, beta, setting="realizable"), other.bound(alpha, beta)
    return Row(
        method=found.method,
        learner=learner,
        realizable=clean,
        agnostic=found.bound,
        tuned=tuned,
        calibrated=found.calibrated,
        tuned_agnostic=agnostic,
    )


@dataclass(frozen=True)
class StreamPlan:
    """The ``rows`` of the methods that apply, `stream`'s default first and baselines last.

    ``excluded`` says why the others do not apply, ``formulas`` what a paper states, and ``lower`` how
    many mistakes no learner avoids.
    """

    hypotheses: str
    cost: PrivacyCost
    horizon: int
    rows: tuple[KnownMistakes, ...]
    excluded: dict[str, str]
    formulas: tuple[StatedSize, ...]
    lower: tuple[LowerMistakes, ...]


def plan_stream(H: HypothesisClass[Any], budget: Budget, *, horizon: int) -> StreamPlan:
    """How many mistakes each online learner of H makes on a stream that some rule of H fits.

    It depends on these declarations alone: no records are read.  Raises `DeclarationError` for illegal
    declarations, `EmptyClassError` and `InfiniteDimensionError`.

    >>> from littlestone.classes import parse_class
    >>> found = plan_stream(parse_class("points(id)"), Budget(1, "1e-6"), horizon=200_000)
    >>> [(row.learner.method, row.proved_bound and row.proved_bound.mistakes) for row in found.rows]
    [('keys', 47), ('teachers', None), ('blocks', None), ('staged', 2191434714)]
    >>> [(stated.theorem, stated.at_one) for stated in found.formulas]
    [('Lyu25 Theorem 1', 169)]
    >>> [(bound.mistakes, bound.learners) for bound in found.lower][:2]
    [(1, 'any learner, private or not'), (9, 'any private learner')]
    """
    require_class(H)
    H.require_learnable()
    rows, excluded = online_candidates(H, budget, horizon=horizon)
    stated = stream_formulas(H, budget, horizon=horizon)
    lower = lower_mistakes(H, budget, horizon=horizon)
    return StreamPlan(
        str(H), budget.cost, horizon, tuple(rows), excluded, tuple(stated), tuple(lower)
    )
