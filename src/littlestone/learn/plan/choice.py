"""The choice of a learner: by name, or the one that needs the fewest records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from littlestone.base.discovery import kind_of_name
from littlestone.base.errors import DeclarationError, no_such, show_value
from littlestone.base.work import track_items
from littlestone.classes.base import HypothesisClass, ScoredClass
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.learn.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    kinds_of_learners,
    require_plan,
)
from littlestone.learn.exponential import ExponentialLearner
from littlestone.points.columns import columns_of
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.mistakes import MistakeCosts

if TYPE_CHECKING:
    from littlestone.learn.bits import Binary
    from littlestone.learn.plan.simulated_sizes import CalibratedSize

AUTO = "auto"
ALPHA, BETA = 0.1, 0.05

_LEARNERS = "littlestone.learn"
_SCORES = "it scores every rule of the class, and its size is proved for any labels"
_USUAL_DELTA = "1e-6"

LEAST_CHANCE = 1e-9
"""The least alpha and beta to plan for; 1 minus it is the largest."""


def require_goal(alpha: float, beta: float, setting: str = "agnostic") -> None:
    """Check `require_plan`, and that alpha and beta are `LEAST_CHANCE` or more away from 0 and 1."""
    require_plan(alpha, beta, setting)
    for name, value in (("alpha (accuracy)", alpha), ("beta (confidence)", beta)):
        if not LEAST_CHANCE <= value <= 1 - LEAST_CHANCE:
            raise DeclarationError(
                f"plan with {name} = {value}",
                found=f"it is closer to 0 or 1 than {LEAST_CHANCE:g}",
                fix="give a usual probability, such as 0.05",
            )


@dataclass(frozen=True)
class Candidate:
    """A method and its learner of a class, or the reason why it has none and the ``remedy``.

    ``bound`` is its proved sample size in the requested setting.  ``clean`` is what is proved for clean
    labels if nothing is proved for wrong ones.  ``calibrated`` is its size in simulations, which have
    clean labels.
    """

    method: str
    learner: PrivateLearner[Any] | None
    bound: Bound | None
    calibrated: CalibratedSize | None
    reason: str
    clean: Bound | None = None
    remedy: str = ""

    def describe(self) -> str:
        """One line for people."""
        return f"{self.method}{':' if self.learner else ''} {self.describe_size()}"

    def describe_size(self) -> str:
        """Its size and its caveat, or why it does not apply."""
        if self.learner is None:
            return f"does not apply: {self.reason}"
        detail = self.learner.detail and f"{self.learner.detail}; "
        caveat = f"; only {self.learner.caveat}" if self.learner.caveat else ""
        return f"{detail}{self.show_size()}{caveat}"

    def show_size(self) -> str:
        """The best known of its sizes, in words."""
        if self.bound is not None:
            alpha, costs = self.bound.alpha, self.learner and self.learner.mistakes
            error, more = f"{100 * alpha:g}% error", f"{100 * alpha:g} percentage points above"
            if costs and not costs.equal:
                error = f"a mean cost of {alpha * costs.largest:g}"
                more = f"{error} above"
            if self.bound.setting == "agnostic":
                best = self.bound.versus or "the best"
                return f"{self.bound.n:,} records suffice for {more} {best}, with any labels"
            return f"{self.bound.n:,} records suffice for {error}, with clean labels"
        if self.clean is not None:
            error = f"{100 * self.clean.alpha:g}% error, with clean labels only"
            return f"{self.clean.n:,} records suffice for {error}"
        if self.calibrated is not None:
            return f"no proved size, {self.calibrated.n:,} records in simulations with clean labels"
        return "no proved size"


def candidates(
    hypotheses: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    setting: Setting = "agnostic",
    mistakes: MistakeCosts | None = None,
    kinds: Iterable[type[PrivateLearner[Any]]] | None = None,
) -> list[Candidate]:
    """Every method, with the records it needs for error alpha in ``setting``, confidence 1 - beta.

    For two labels the methods that split labels into bits are left out.
    Methods with a proved size come first, then those with a calibrated one, then those without, by
    the number of records.  Then come those with a caveat that the setting does not meet, and those that
    do not apply come last.  In
    the agnostic setting, methods that tolerate label noise come before those that do not, whatever is
    proved.  Those without a proved size are ordered by what is proved for clean labels, with those made
    for wrong labels (`Caveat.WRONG_LABELS`) last.  Among equal sizes the bits of the labels come last;
    if no size is known they come first, because they take the least time.  With ``mistakes``, only
    learners apply that count each mistake as what it costs, and alpha is a mean cost in units of the
    larger one.  ``kinds`` restricts the learners.  The result depends on declarations alone.
    """
    from littlestone.learn.plan.simulated_sizes import find_calibration

    require_goal(alpha, beta, setting)
    made = partial(
        _make_learner,
        hypotheses,
        budget,
        alpha=alpha,
        beta=beta,
        setting=setting,
        mistakes=mistakes,
    )
    found = []
    tried = kinds_of_learners() if kinds is None else list(kinds)
    for kind in track_items(tried, "looking for methods"):
        if hypotheses.labels == 2 and _of_bits(kind):
            continue  # two labels are one bit, so nothing is to be split
        try:
            learner = made(kind)
        except DeclarationError as error:
            remedy = error.fix.removeprefix("take another method").removeprefix(", or ")
            found.append(Candidate(kind.method, None, None, None, error.found, remedy=remedy))
        else:
            bound = learner.bound(alpha, beta, setting=setting)
            simulated = clean = None
            if mistakes is None:
                simulated = find_calibration(
                    kind.method, hypotheses, budget, alpha=alpha, beta=beta
                )
            if setting == "agnostic" and bound is None:
                clean = learner.bound(alpha, beta, setting="realizable")
            found.append(Candidate(kind.method, learner, bound, simulated, "", clean))
    return sorted(found, key=partial(_order, setting=setting))


def _make_learner(
    H: HypothesisClass[Any],
    budget: Budget,
    kind: type[PrivateLearner[Any]],
    *,
    alpha: float,
    beta: float,
    setting: Setting,
    mistakes: MistakeCosts | None,
) -> PrivateLearner[Any]:
    """The learner of this kind as used for error alpha; for bits, with the best one for each bit."""
    if mistakes is not None:
        return kind.weighing(H, budget, mistakes)
    if H.labels > 2 and _of_bits(kind):
        binary = best_binary(H, budget, alpha=alpha, beta=beta, setting=setting)
        return kind(H, budget, binary=binary)  # type: ignore[call-arg]
    return kind.for_error(H, budget, alpha=alpha)


def best_binary(
    H: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float,
    beta: float,
    setting: Setting = "agnostic",
) -> Binary:
    """A maker of the learner that `choose_learner` takes for each bit class at its share.

    The share is alpha / b, beta / b, epsilon / b and delta / b.  It depends on declarations alone.
    """
    b = H.bits
    # Every bit reads all records, so the b costs add up; and who learns each bit to alpha / b errs
    # by at most alpha.
    share = Budget(budget.epsilon / b, budget.delta / b)
    goal: dict[str, Any] = {"alpha": alpha / b, "beta": beta / b, "setting": setting}
    kinds: dict[HypothesisClass[Any], type[PrivateLearner[Any]]] = {}
    for i in range(b):
        bit = H.bit_class(i)
        if bit not in kinds:
            learner, _ = choose_learner(bit, share, **goal)
            kinds[bit] = type(learner)

    def binary(bit: HypothesisClass[Any], budget: Budget) -> PrivateLearner[Any]:
        return kinds[bit].for_error(bit, budget, alpha=exact(alpha, what="alpha") / b)

    return binary


def _order(found: Candidate, setting: Setting) -> tuple[bool | int, ...]:
    learner, known = found.learner, found.bound or found.clean or found.calibrated
    n = 0 if known is None else known.n
    if learner is None:
        return (True,)
    bits = _of_bits(type(learner))
    if known is None:
        bits = bits or 3
    if setting == "realizable":
        # Of equal sizes, and of unknown ones, a method made for clean labels comes first.
        barred, made_for_it = _is_barred(learner, setting), learner.caveat is not None
        return False, barred, found.bound is None, known is None, n, bits, not made_for_it
    made_for_it = found.bound is None and learner.caveat is not None
    proved = found.bound or found.clean
    unproved = found.bound is None, made_for_it, proved is None, known is None
    noisy = not learner.tolerates_label_noise
    return False, _is_barred(learner, setting), noisy, *unproved, n, bits


def _of_bits(kind: type[PrivateLearner[Any]]) -> int:
    """1 for a method that splits labels into bits, 2 if it also splits the records; else 0."""
    from littlestone.learn.bits import BitPartsLearner, BitwiseLearner

    return issubclass(kind, BitwiseLearner) + issubclass(kind, BitPartsLearner)


def _is_barred(kind: type[PrivateLearner[Any]] | PrivateLearner[Any], setting: Setting) -> bool:
    """Whether it has a caveat, and the setting does not say that it is met.

    A learner may have a stricter caveat than its kind.
    """
    met = Caveat.WRONG_LABELS if setting == "agnostic" else Caveat.CLEAN_LABELS
    return kind.caveat not in (None, met)


def choose_learner(
    hypotheses: HypothesisClass[Any],
    budget: Budget,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    method: str = AUTO,
    setting: Setting = "agnostic",
    mistakes: MistakeCosts | None = None,
    void: bool = False,
) -> tuple[PrivateLearner[Any], str]:
    """The learner of that name, or the one that ``"auto"`` takes; and a sentence why.

    ``"auto"`` takes the first of `candidates`.  For any labels and a class of LDim above 1 that can be
    scored this is `ExponentialLearner`, so the others are not made.
    You declare the setting; it is never inferred from the data, and every learner is private in both.
    A learner with a caveat that the setting does not meet is made only if no other applies.  With
    ``mistakes``, the learner is one
    that counts each mistake as what it costs.  With ``void`` it is chosen among those that take void
    places (`PrivateLearner.takes_void`).

    Raises `DeclarationError` for an unknown name, or if the learner does not apply.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("rules(origin, dest; at most 2)")
    >>> choose_learner(H, Budget(1, "1e-6"))[1]
    'choosing: its size is proved for any labels'
    """
    require_goal(alpha, beta, setting)
    goal: dict[str, Any] = {"alpha": alpha, "beta": beta, "setting": setting, "mistakes": mistakes}
    # Errors in the declarations themselves are not about any single method.
    hypotheses.require_learnable()
    if mistakes is not None:
        mistakes.require_rule(hypotheses.labels)
    known = isinstance(method, str)  # comparing a column by == gives a column
    if known and method == AUTO:
        if setting == "agnostic" and (learner := _scoring(hypotheses, budget, goal)):
            return learner, f"{learner.method}: {_SCORES}"
        refused: list[Candidate] = []
        for barred in (False, True):
            kinds = [
                kind
                for kind in kinds_of_learners()
                if _is_barred(kind, setting) == barred and (kind.takes_void or not void)
            ]
            if not kinds:
                continue
            best, *others = candidates(hypotheses, budget, **goal, kinds=kinds)
            if best.learner is not None:
                return best.learner, _why(best, best.learner, others, setting)
            refused += [best, *others]
        raise _none_applies(hypotheses, budget, refused, goal, void=void)
    if known:
        for kind in _kinds_named(method):
            if kind.method == method:
                return _make_learner(hypotheses, budget, kind, **goal), f"{method}: asked for"
    methods = [AUTO, *(kind.method for kind in kinds_of_learners())]
    raise no_such(f"learn by the method {show_value(method)}", "method", method, methods)


def _kinds_named(method: str) -> list[type[PrivateLearner[Any]]]:
    """The learner in the module of this name; if there is none, all learners."""
    for room in (_LEARNERS, f"{_LEARNERS}.papers"):
        own = kind_of_name(PrivateLearner, room, "method", method)  # type: ignore[type-abstract]
        if own:
            return [own]
    return kinds_of_learners()


def _scoring(
    H: HypothesisClass[Any], budget: Budget, goal: dict[str, Any]
) -> PrivateLearner[Any] | None:
    """The learner that scores every hypothesis of H, if no other can come before it in any setting.

    None if H is not scored or too large for it, and for LDim(H) <= 1, where `ChoosingLearner` may need
    fewer records.  All others that tolerate wrong labels learn other classes or need more records.
    """
    if not isinstance(H, ScoredClass):
        return None
    try:
        learner = _make_learner(H, budget, ExponentialLearner, **goal)
    except DeclarationError:
        return None
    return None if H.labels == 2 and has_one_mistake(H) else learner


def _none_applies(
    H: HypothesisClass[Any],
    budget: Budget,
    refused: list[Candidate],
    goal: dict[str, Any],
    *,
    void: bool,
) -> DeclarationError:
    """The error that no method applies.  If some would with a delta, it is about those alone."""
    if not budget.delta:
        allowed = Budget(budget.epsilon, _USUAL_DELTA)
        names = {found.method for found in refused}
        kinds = [kind for kind in kinds_of_learners() if kind.method in names]
        # Tried only when nothing applies, so that the error names what a delta would allow.
        helped = {c.method for c in candidates(H, allowed, **goal, kinds=kinds) if c.learner}
        if helped and (open_names := [c.name for c in columns_of(H.domain) if c.size is None]):
            columns = "column " if len(open_names) == 1 else "columns "
            return DeclarationError(
                f"learn {H} with delta = 0",
                found=f"{columns}{', '.join(open_names)} "
                f"{'has' if len(open_names) == 1 else 'have'} no list of values",
                fix="give it one, such as ward in {ICU, ER}, or a range, such as age: 0..120 step 5; "
                f"delete it from the schema or the class; or allow --delta {_USUAL_DELTA}",
            )
        if helped:
            return DeclarationError(
                f"learn {H} with delta = 0",
                found="; ".join(refusals((c for c in refused if c.method in helped), bare=True)),
                fix=f"allow a small delta, such as {_USUAL_DELTA}, declare the range or the values of "
                "each column, such as age: 0..120 step 5 and ward in {ICU, ER}, or "
                "declare another class; "
                f"`littlestone plan CLASS --epsilon E --delta {_USUAL_DELTA}` lists what applies",
            )
    costs = goal["mistakes"]
    return DeclarationError(
        f"learn {H}" + (f" if {costs}" if costs else ""),
        found="; ".join(refusals(refused, bare=True)),
        fix=("use one record of each unit: --max-records 1, or " if void else "")
        + "declare another class, or one with fewer columns, shorter ranges or a coarser step"
        + (", such as conditions(...) or trees(...)" if costs else ""),
    )


def refusals(found: Iterable[Any], *, bare: bool = False) -> list[str]:
    """Why methods do not apply, each reason once, and unless it is ``bare``, what would help.

    ``found`` are candidates that do not apply.
    """
    methods: dict[str, list[Any]] = {}
    for candidate in found:
        methods.setdefault(candidate.reason, []).append(candidate)
    told = []
    for reason, alike in methods.items():
        remedies = dict.fromkeys(c.remedy for c in alike if c.remedy and not bare)
        more = f"; {' or '.join(remedies)}" if remedies else ""
        told.append(f"{', '.join(c.method for c in alike)}: {reason}{more}")
    return told


def explain(
    hypotheses: HypothesisClass[Any],
    budget: Budget,
    *,
    setting: Setting = "agnostic",
    mistakes: MistakeCosts | None = None,
) -> list[tuple[str, str]]:
    """What is known about every method, the best first, and why others do not apply.

    These are pairs (heading, sentence).  They depend on declarations alone.

    >>> from littlestone.classes import parse_class
    >>> for heading, sentence in explain(parse_class("points(ward)"), Budget(1, "1e-6"))[:1]:
    ...     print(f"{heading}: {sentence}")
    choosing: 2,146 records suffice for 10 percentage points above the best, with any labels
    """
    found = candidates(hypotheses, budget, setting=setting, mistakes=mistakes)
    refused = refusals(c for c in found if c.learner is None)
    return [
        *((c.method, c.describe_size()) for c in found if c.learner is not None),
        *(("does not apply", reason) for reason in refused),
    ]


def _why(
    best: Candidate, learner: PrivateLearner[Any], others: list[Candidate], setting: Setting
) -> str:
    """The method that is chosen and one reason; ``others`` are those it was compared with."""
    name = best.method
    if _is_barred(learner, setting):
        name += f" ({learner.caveat})"
    return f"{name}: {_reason(best, [c for c in others if c.learner is not None], setting)}"


def _reason(best: Candidate, others: list[Candidate], setting: Setting) -> str:
    """Why this candidate comes before the ``others`` that apply."""
    noisy = best.learner is not None and best.learner.tolerates_label_noise
    if setting == "agnostic" and not noisy:
        return "no method that tolerates wrong labels applies; they may mislead this one"
    if not others:
        return "no other method applies"
    if best.bound is not None:
        labels = "any labels" if setting == "agnostic" else "clean labels"
        rivals = [c.bound.n for c in others if c.bound is not None]
        if rivals and best.bound.n <= min(rivals):
            a = "a" if best.learner is None or best.learner.caveat is None else "another"
            return f"the smallest size proved for {labels}, of all methods without {a} caveat"
        versus = best.bound.versus and f", against {best.bound.versus}"
        return f"its size is proved for {labels}{versus}"
    if setting == "agnostic":
        return "it tolerates wrong labels" + (
            (best.clean and ", and its size is proved for clean ones") or ""
        )
    return "no method without a caveat has a proved size"
