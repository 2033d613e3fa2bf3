"""A learning task, chosen once for the command line, Python and the scikit-learn shell.

Where no class is declared, it takes the first of a short public list that can be learned
(docs/how-to/schema.md).  That depends on the schema and the budget alone, never on a record.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, Self

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.data.opening import Dataset, lookalike
from littlestone.data.sample import Sample
from littlestone.learn import Release
from littlestone.learn.base import PrivateLearner, Setting
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.plan import choose_learner
from littlestone.learn.plan.choice import ALPHA, AUTO, BETA, explain
from littlestone.learn.plan.missed import enough, for_records, too_few
from littlestone.learn.results.accuracy import Evaluation, accuracy, group_accuracy
from littlestone.points import Domain, Strings
from littlestone.points.columns import columns_of
from littlestone.privacy.accounting.elsewhere import Elsewhere
from littlestone.privacy.cost import decimal_text
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.ledger.common_tables import check_cost

SHEETS = ("score_sheet", "tree_sheet")
"""The methods whose rules have risks of their own."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """A declaration with the learner that is chosen for it, by public values alone.

    ``why`` says why this learner.  If no class was declared, the declaration has the one that was
    taken, and ``taken`` says which and why.
    """

    declaration: Declaration
    learner: PrivateLearner[Any]
    why: str
    taken: str = ""

    @classmethod
    def choose(cls, declaration: Declaration) -> Self:
        """The task with the learner of `choose_learner`, and with `default_class` where none is given.

        Raises `DeclarationError` if none applies, or if it cannot do what is declared.
        """
        several = declaration.unit is not None and declaration.unit.most > 1

        def choose(told: Declaration) -> tuple[PrivateLearner[Any], str]:
            return choose_learner(
                told.known_class,
                told.share,
                method=told.method,
                setting=told.setting,
                mistakes=told.mistakes,
                void=several,
            )

        taken = ""
        if declaration.hypotheses is None:
            found = default_class(
                lambda text: choose(declaration.for_class(text)),
                declaration.setting,
                labels=declaration.label.labels,
                group=declaration.group,
            )
            # The only place where a class of its own choice is learned with points.
            learner, why, taken = with_points(found, declaration)
            declaration = replace(declaration, hypotheses=learner.hypotheses)
        else:
            learner, why = choose(declaration)
        if several:  # the sizes are those of independent records
            why = f"{learner.method}: chosen as if all records were independent"
            why = f"{learner.method}: asked for" if declaration.method != AUTO else why
        task = cls(declaration, learner, why, taken)
        check_cost(task.event.cost())  # the event refuses what the learner cannot do
        return task

    def methods(self) -> list[tuple[str, str]]:
        """What is known of every method for this class, as `explain` says it; nothing is read."""
        told = self.declaration
        costs = None if self.learner.mistakes.equal else self.learner.mistakes
        return explain(self.learner.hypotheses, told.share, setting=told.setting, mistakes=costs)

    @property
    def divides_by_records(self) -> bool:
        """Whether the number of records decides how epsilon is divided."""
        return bool(self.declaration.risk) and self.learner.method in SHEETS

    def for_records(self, n: int) -> Self:
        """The task with the learner for ``n`` records, which are public, if ``auto`` chose it.

        If risks are asked for, a sheet has its own, so the part of epsilon for risks says how good they
        are (`quality_share`).
        """
        auto = self.declaration.method == AUTO and not self.declaration.group
        if self.divides_by_records:
            told = self.declaration.for_score(n)
            own = {"n": n} if self.learner.method == "tree_sheet" else {}
            kind: Any = type(self.learner)
            sized = kind(told.known_class, told.share, cost=self.learner.mistakes, **own)
            return replace(self, declaration=told, learner=sized)
        learner = for_records(self.learner, n) if auto else self.learner
        if learner is self.learner:
            return self
        # Of units only the most records are public.
        records = f"{'' if self.declaration.unit is None else 'at most '}{n:,} records"
        why = (
            f"{records} are enough to split each leaf once more, which erred less on the tables it "
            "was measured on; exponential has the smaller proved error"
        )
        if learner.method == "irreducible":
            why = f"{self.learner.method} would take too long on {records}"
        return replace(self, learner=learner, why=f"{learner.method}: {why}")

    def later(self) -> tuple[Event, str]:
        """What costs the most, however many records there are, and the method for many in words."""
        if self.divides_by_records:
            own, delta = self.event.cost(), self.declaration.budget.delta
            most = replace(
                own, epsilon=sum(self.parts_of_epsilon.values(), Fraction(0)), delta=delta
            )
            return Elsewhere(most, "all that is declared"), ""
        n = enough(self.learner)
        task = self.for_records(n)
        method = task.learner.method
        return task.event, "" if task is self else f"{method} from {n:,} records on"

    @property
    def parts_of_epsilon(self) -> dict[str, Fraction]:
        """What the declared epsilon pays for, part by part; together they cost no more than the sum.

        >>> told = Declaration.parse("ill", "thresholds(age, 0..120)", epsilon=1, positive=1, risk=True)
        >>> for what, epsilon in Task.choose(told).parts_of_epsilon.items():
        ...     print(epsilon, what)
        3/4 the rule
        1/4 its risks
        """
        told = self.declaration
        estimate, risk = told.estimate or Fraction(0), told.risk_part or Fraction(0)
        rest = told.budget.epsilon
        if told.group:
            return {"the group": rest - estimate, "its size and rate": estimate}
        if self.divides_by_records:
            parts = {"the rule and how good it is": rest}
        else:
            parts = {"the rule": rest - risk, "its risks": risk}
        parts["the estimate"] = estimate
        return {what: epsilon for what, epsilon in parts.items() if epsilon}

    @property
    def event(self) -> Event:
        """What the task spends: the learner's event and that of the estimate."""
        told = self.declaration
        return self.learner.event_with(
            told.estimate, told.unit, shares=told.shares, risk=told.risk_part
        )

    def read_noted(
        self,
        data: Dataset,
        ledger: Ledger,
        *,
        refuse_blank: bool = False,
        rng: Random | None = None,
    ) -> tuple[Sample[Any], str | None]:
        """The sample, and a hint to show if there is one.

        It warns about another data set of the ledger that looks the same, of `useless_delta`, and if
        records are `too_few`.  The ledger notes the shape of the table (`Ledger.note_shape`).
        """
        sample = self.declaration.read(
            data.table, refuse_blank=refuse_blank, rng=rng, joint=self.learner.joint
        )
        try:
            others = ledger.note_shape(data.name, columns=data.table.columns, n=sample.n)
        except BaseException:
            sample.close()
            raise
        alike = [lookalike(data.name, others)] if others else []
        return sample, "\n".join([*alike, *self.hints(sample.n)]) or None

    def hints(self, n: int) -> list[str]:
        """What the public number n of records says before a spend."""
        return [
            hint for hint in (self.useless_delta(n), too_few(self.learner, n)) if hint is not None
        ]

    def useless_delta(self, n: int) -> str | None:
        """A hint if delta is 1/n or more, for the public number n of records; else None.

        Such a delta also allows a mechanism that publishes one whole record, chosen at random.
        """
        delta = self.for_records(n).event.cost().delta
        if delta * n < 1:
            return None
        return (
            f"delta {decimal_text(delta)} is 1/n or more for n = {n:,}: a mechanism with this "
            "delta could even publish one whole record. Choose a delta far below 1/n, such as "
            f"1e-{max(6, len(str(n)) + 1)}"
        )

    def fit(
        self, sample: Sample[Any], *, ledger: Ledger, dataset: str, rng: Random | None = None
    ) -> Release:
        """Spend and release, as the learner's `fit` does.

        Raises `DeclarationError` for a sample with another unit, which `read` did not make.
        """
        task = self.for_records(sample.n)
        declaration, learner = task.declaration, task.learner
        if sample.unit != declaration.unit:
            raise DeclarationError(
                f"learn from {declaration.unit or 'records'}",
                found=f"the sample has {sample.unit or 'no units'}",
                fix="read the sample with this task",
            )
        what, H = declaration.label, learner.hypotheses
        _LOG.info("learn %s from %s by the method %s", what, H, learner.method)
        rate = decimal_text(learner.mistakes.rate)
        purpose = (
            f"find a group with a rate of {declaration.label} above {rate}"
            if declaration.group
            else ""
        )
        # The release says itself whether a record may span lines.
        reading = replace(declaration.reading, multiline=False)
        with closing(sample):
            release = learner.fit(
                sample,
                ledger=ledger,
                dataset=dataset,
                label=str(declaration.label),
                labels=declaration.label.names,
                estimate=declaration.estimate,
                risk=declaration.risk_part,
                purpose=purpose,
                promise=self.promise(learner, sample.n),
                rng=rng,
            )
        return replace(
            release,
            reading=reading.pick_columns(release.hypothesis.tested_columns),
            taken=task.taken,
            group=declaration.group,
        )

    def promise(self, learner: PrivateLearner[Any], n: int) -> str:
        """What is proved about the error, or the gain of a group, learned from ``n`` records."""
        if not self.declaration.group:
            return accuracy(learner, n, self.declaration.unit)
        return group_accuracy(learner, n)

    def evaluate(self, release: Release, sample: Sample[Any]) -> Evaluation:
        """The errors of the release on the sample: NOT PRIVATE."""
        return Evaluation.measure(release, self.learner.hypotheses, sample)


RULES = ("trees(*; depth 2)", "conditions(*; at most 2)", "conditions(*; at most 1)")
"""The classes of rules that are tried in turn; small trees erred least on most tables tried."""

GROUPS = RULES[1:]
"""Those of groups, which are read as one sentence."""

STREAM = RULES[1]
"""The class of a stream, where trees are too many."""

OUTCOMES = (RULES[0], "outcomes(*; at most 1)")
"""Those of several labels."""

Chosen = tuple[PrivateLearner[Any], str]


def default_class(
    learner: Callable[[str], Chosen], setting: Setting, *, labels: int, group: bool
) -> tuple[PrivateLearner[Any], str, str]:
    """The learner of the default class, why it was chosen, and why the class was.

    It is the first class with a size that is proved in the ``setting``.  If there is none, it is the
    first class that some method learns.  ``learner`` makes the learner of a class and says why, or
    raises `DeclarationError`; if all do, the first error is raised.
    """
    classes = GROUPS if group else RULES if labels == 2 else OUTCOMES
    able: list[tuple[PrivateLearner[Any], str, str]] = []
    errors: list[DeclarationError] = []
    for text in classes:
        try:
            found, why = learner(text)
        except DeclarationError as error:
            errors.append(error)
            continue
        proved = found.bound(ALPHA, BETA, setting=setting) is not None
        what = "with a proved size" if proved else "that a method learns"
        able.append(
            (
                found,
                why,
                f"{text}, because none was given: the first of {', '.join(classes)} {what}",
            )
        )
        if proved:
            return able[-1]
    if not able:
        raise errors[0]
    return able[0]


def with_points(
    default: tuple[PrivateLearner[Any], str, str], declaration: Declaration
) -> tuple[PrivateLearner[Any], str, str]:
    """What `default_class` took, or the learner that gives trees points, if risks are asked for.

    It stays as it is without a delta, with an open column, for tables too wide, for several labels,
    and if a unit has several records.  In the first two cases ``taken`` says what to declare.
    """
    from littlestone.classes.trees import Trees
    from littlestone.learn.tree_sheet import TreeSheetLearner, deepen

    told, (learner, _, taken) = declaration, default
    several = told.unit is not None and told.unit.most > 1
    if told.method != AUTO or not told.risk or told.group or several or told.label.labels > 2:
        return default
    if lists := without_values(columns_of(learner.hypotheses.domain)):
        return *default[:2], f"{taken}; for risks by a tree with points, {lists}"
    if not told.budget.delta:
        return *default[:2], f"{taken}; for risks by a tree with points, give a delta"
    if not isinstance(learner.hypotheses, Trees):
        return default
    try:
        H = deepen(learner.hypotheses)
        own = TreeSheetLearner[Any](H, told.share, cost=learner.mistakes)
    except (DeclarationError, TooLargeError):
        return default
    taken = f"trees(*; {H.options}), because none was given and risks were asked for"
    taken += ": the leaves of a tree begin a score sheet"
    return own, f"{own.method}: it gives risks", taken


def without_values(columns: Iterable[Domain[Any]]) -> str:
    """What to declare about columns of texts, with which no tree has points; else nothing.

    >>> from littlestone.points import Strings
    >>> without_values([Strings("ward")])
    'declare the values of ward: an open column of texts has no list of them'
    """
    names = ", ".join(str(column.name) for column in columns if isinstance(column, Strings))
    return (
        f"declare the values of {names}: an open column of texts has no list of them"
        if names
        else ""
    )
