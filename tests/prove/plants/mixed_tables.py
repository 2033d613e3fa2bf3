"""Mistakes in learners of mixed tables: rules, trees, lists of rules, and regrown trees."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, product
from math import gcd
from random import Random
from typing import Any

import numpy as np
import pytest

from littlestone.classes import parse_class
from littlestone.classes.promises.open_conditions import OpenConditions
from littlestone.classes.rule_lists import Rule
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner
from littlestone.learn.regrown import RegrownLearner
from littlestone.learn.rounds import RoundsLearner, left
from littlestone.points import number
from littlestone.privacy import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.samplers import selection
from littlestone.prove.audit import Subject, find_subject, neighbours
from littlestone.prove.audit.subjects.whole_learners import (
    OPEN,
    PARITY,
    REGROWN,
    TREES,
    TREES_OF_THREE,
    TYPED,
    Records,
    by_sample,
    crowd,
    released_text,
    subject_of_learner,
)
from plants.exact_draws import changed
from plants.harness import Masses, Plant, draws_exactly, is_private, weighted

ONE, FEW = Fraction(1), Fraction(1, 1000)
BASE = ExponentialMechanism(ONE).base


def honest(name: str, pairs: slice = slice(None)) -> Subject[Any]:
    made = find_subject(name).make(ONE, FEW)
    return replace(made, pairs=made.pairs[pairs])


def read(H: Any, records: Records) -> Sample[Any]:
    return Sample.from_examples(H.domain, records, labels=H.labels)


def merged(law: Mapping[Any, Fraction] | Iterable[tuple[Any, Fraction]]) -> Masses:
    """The masses of the released texts."""
    found: Masses = {}
    for h, mass in law.items() if isinstance(law, Mapping) else law:
        text = released_text(h)
        found[text] = found.get(text, Fraction(0)) + mass
    return found


# Conditions.

CONDITIONS = honest("conditions-learner")
DECLARED = "conditions(x at {0, 5}, s in {a}; at most 2, either)"
H: Any = parse_class(DECLARED)
RULES = list(H)


def scored(score: Callable[[int, Sample[Any]], int | None], H: Any = H) -> Callable[..., Masses]:
    """The law of rules that are drawn by a score, without those that have none."""

    def law(records: Records) -> Masses:
        sample = read(H, records)
        scores = {i: score(i, sample) for i in range(H.size)}
        kept = {i: BASE**-s for i, s in scores.items() if s is not None}
        return merged((H.hypothesis(i), mass) for i, mass in weighted(kept).items())

    return law


def wrong(i: int, sample: Sample[Any]) -> int:
    h = RULES[i]
    return sum(int(n[1 - h(x)]) for x, n in zip(sample.points, sample.counts, strict=True))


def covered(i: int, sample: Sample[Any]) -> tuple[int, int]:
    """The records with each label where a rule is 1."""
    held = [n for x, n in zip(sample.points, sample.counts, strict=True) if RULES[i](x)]
    return (sum(int(n[0]) for n in held), sum(int(n[1]) for n in held))


def error_in_each_column(i: int, sample: Sample[Any]) -> int:
    return wrong(i, sample) * (len(H.rule(i)[1]) if i > 1 else 1)


def uncovered_dropped(i: int, sample: Sample[Any]) -> int | None:
    return wrong(i, sample) if sum(covered(i, sample)) or i == 0 else None


def divided_by_covered(i: int, sample: Sample[Any]) -> int:
    negatives, positives = covered(i, sample)
    return sample.n * negatives // max(1, negatives + positives)


def on_cuts(cuts: Callable[[list[Any]], list[Any]]) -> Callable[[Records], Masses]:
    """The law of the honest scores, over a grid that is cut by the data."""

    def law(records: Records) -> Masses:
        found = [v for (x, _), _ in records if (v := number(x)) is not None]
        at = ", ".join(map(str, sorted({0, *cuts(found)})))
        own: Any = parse_class(DECLARED.replace("0, 5", at))
        errors = own.error_runs(read(own, records)).errors.tolist()
        return merged(
            (own.hypothesis(i), mass)
            for i, mass in weighted({i: BASE**-e for i, e in enumerate(errors)}).items()
        )

    return law


def median(values: list[Any]) -> list[Any]:
    return sorted(values)[len(values) // 2 : len(values) // 2 + 1]


# Columns with a type alone.

TYPE = honest("typed-columns-learner")
TYPED_ROWS: Any = parse_class(TYPED)


def on_kept_cuts(kept: Callable[[list[Decimal], list[Decimal]], list[Decimal]]) -> Any:
    """The law on the cuts of a scale that are kept where these are the values."""

    def law(records: Records) -> Masses:
        values = [v for (x,), _ in records if (v := number(x)) is not None]
        scale = list(map(Decimal, TYPED_ROWS.domain.columns[0].starts))
        at = ", ".join(f"{v:f}" for v in sorted({scale[0], *kept(scale, values)}))
        own: Any = parse_class(f"conditions(x at {{{at}}}; at most 1)")
        errors = own.error_runs(read(own, records)).errors.tolist()
        return merged(
            (own.hypothesis(i), mass)
            for i, mass in weighted({i: BASE**-e for i, e in enumerate(errors)}).items()
        )

    return law


def within_the_range(scale: list[Decimal], values: list[Decimal]) -> list[Decimal]:
    return [v for v in scale if values and min(values) <= v <= max(values)]


def around_the_records(scale: list[Decimal], values: list[Decimal]) -> list[Decimal]:
    """Of cuts between which no record lies, the first."""
    cells = [bisect_right(scale, v) for v in values]
    return [scale[cell] for cell in cells if cell < len(scale)]


def of_their_sign(scale: list[Decimal], values: list[Decimal]) -> list[Decimal]:
    return [v for v in scale if v >= 0 or any(value < 0 for value in values)]


def whole_if_they_are(scale: list[Decimal], values: list[Decimal]) -> list[Decimal]:
    whole = all(value == int(value) for value in values)
    return [v for v in scale if not whole or v == int(v)]


# Conditions on an open column.


class ForgetsDeclared(OpenConditions):
    """A value is taken to obey one condition on each column."""

    @property
    def elements_per_point(self) -> int:
        return len(self._subsets)


class ForgetsPairs(OpenConditions):
    """Only rules of one condition are counted."""

    @property
    def elements_per_point(self) -> int:
        return 1 + sum(self._max_conditions)


def opened(kind: type[OpenConditions]) -> Subject[Any]:
    made: Any = parse_class("conditions(w, x: 0..9 step 1; at most 2)")
    learner = ChoosingLearner(kind(made.domain, made.most), Budget(1, FEW))
    pairs = [*neighbours(OPEN, 1), *crowd(learner.mechanism.bottom, OPEN[:4])]
    return subject_of_learner(learner, by_sample(learner), pairs)


# Trees.

T: Any = parse_class(TREES)
TREE = honest("trees-learner", slice(-4, None))
THREE = honest("trees-learner-labels")
Groups = Sequence[Sequence[Any]]


def by_groups(weigh: Callable[[Groups], Masses], H: Any = T) -> Callable[[Records], Masses]:
    """The law of trees that are drawn by weights of the scored items."""

    def law(records: Records) -> Masses:
        drawn = weighted(weigh(H.scores(read(H, records)).groups))
        return merged((H.hypothesis_of_item(item), mass) for item, mass in drawn.items())

    return law


def powers(errors: Any, base: Fraction = BASE) -> list[Fraction]:
    return [base**-e for e in errors.tolist()]


def root_by_its_best(groups: Groups) -> Masses:
    found: Masses = {}
    for g, (yes, no) in enumerate(groups):
        ours, theirs = powers(yes), powers(no)
        share = BASE ** -int(yes.min() + no.min()) / (sum(ours) * sum(theirs))
        for i, j in product(range(len(ours)), range(len(theirs))):
            found[g, i, j] = share * ours[i] * theirs[j]
    return found


def halves_all_of_epsilon(groups: Groups) -> Masses:
    found: Masses = {}
    for g, (yes, no) in enumerate(groups):
        mass = sum(powers(yes)) * sum(powers(no))
        ours, theirs = powers(yes, BASE**2), powers(no, BASE**2)
        share = Fraction(mass) / (sum(ours) * sum(theirs))
        for i, j in product(range(len(ours)), range(len(theirs))):
            found[g, i, j] = share * ours[i] * theirs[j]
    return found


def near_best_halves(groups: Groups) -> Masses:
    return {
        (g, i, j): BASE ** -int(yes[i] + no[j])
        for g, (yes, no) in enumerate(groups)
        for i in np.flatnonzero(yes <= yes.min() + 1).tolist()
        for j in np.flatnonzero(no <= no.min() + 1).tolist()
    }


def majority_leaves(groups: Groups) -> Masses:
    """The conditions are drawn; each leaf then has the label with the fewest errors."""
    ends, found = T.labels**2, dict[Any, Fraction]()
    for g, parts in enumerate(groups):
        best = [
            [c * ends + int(part[c * ends : (c + 1) * ends].argmin()) for c in range(len(T.splits))]
            for part in parts
        ]
        for i, j in product(*best):
            found[g, i, j] = BASE ** -int(parts[0][i] + parts[1][j])
    return found


def labels_that_occur(records: Records) -> Masses:
    labels = {y for _, y in records}
    H: Any = parse_class(TREES_OF_THREE, labels=3)
    groups = H.scores(read(H, records)).groups
    found = {
        h: BASE ** -int(yes[i] + no[j])
        for g, (yes, no) in enumerate(groups)
        for i, j in product(range(len(yes)), range(len(no)))
        if {(h := H.hypothesis_of_item((g, i, j)))(x) for x in H.domain} <= labels
    }
    return merged(weighted(found))


def best_roots() -> Subject[Any]:
    """One replaced record makes the best tree of one root better, and those of the others worse."""
    often: Records = ((("", ""), 1), (("", "5"), 1), (("0", "5"), 1), (("0", ""), 1))
    rest: Records = often * 3 + ((("0", "0"), 0),) * 4
    return trees_on((*rest, (("", "0"), 0)), (*rest, (("", "0"), 1)))


# Draws of trees, by the code.


def draw_by_best_counts(patch: pytest.MonkeyPatch) -> None:
    def draw_sum(groups: Groups, base: Fraction, rng: Random) -> tuple[int, ...]:
        least = [sum(int(part.min()) for part in parts) for parts in groups]
        counts = [int(np.prod([(part == part.min()).sum() for part in parts])) for parts in groups]
        counts = [count // gcd(*counts) for count in counts]
        item = selection.draw_item(np.array(least), counts, base, rng)
        g = bisect_right(list(accumulate(counts)), item)
        return g, *(selection.draw_item(part, None, base, rng) for part in groups[g])

    patch.setattr(selection, "draw_sum", draw_sum)


def small_window(patch: pytest.MonkeyPatch) -> None:
    """One error at first, and twice as many at each refinement: the draw stays exact."""
    patch.setattr(selection, "window_of", lambda base, bits: bits // 40)


def window_cuts_groups(patch: pytest.MonkeyPatch) -> None:
    small_window(patch)
    draw_sum = selection.draw_sum

    def cut(groups: Groups, base: Fraction, rng: Random) -> tuple[int, ...]:
        least = [sum(int(part.min()) for part in parts) for parts in groups]
        near = [g for g, errors in enumerate(least) if errors <= min(least) + 1]
        g, *places = draw_sum([groups[g] for g in near], base, rng)
        return near[g], *places

    patch.setattr(selection, "draw_sum", cut)


def trees_on(one: Records, other: Records) -> Subject[Any]:
    return replace(find_subject("trees-learner").make(ONE, FEW), pairs=((one, other),))


# One root has three times as many best trees as the others; two have a better one than the third.
COUNTED = trees_on(PARITY[:2], (PARITY[0], (("", "7"), 0)))
SUMS = trees_on(PARITY, (*PARITY[:3], (("", "7"), 0)))


# Rules in rounds.

LISTS = honest("rule-list-learner")
L: Any = parse_class("rule_list(x at {0, 5}, s in {a}; at most 2)")
HALF = ExponentialMechanism(ONE / 2)


def twice_the_budget(name: str) -> Any:
    return find_subject(name).make(2 * ONE, FEW).distribution


def in_two_rounds(*, stops: bool = False, refits: bool = False) -> Callable[[Records], Masses]:
    """The law of two rounds, each with half of epsilon."""

    def law(records: Records) -> Masses:
        sample, found = read(L, records), dict[Any, Fraction]()

        def released(rules: list[Rule], rest: Sample[Any], mass: Fraction) -> None:
            if refits and rules[-1].tests:
                most = int(rest.counts.sum(axis=0).argmax())
                rules = [*rules[:-1], rules[-1]._replace(no=most)]
            h = L.function_of_rules(rules)
            found[h] = found.get(h, Fraction(0)) + mass

        for first, chance in HALF.distribution(L.round_scores(sample)).items():
            one = L.rule(first)
            rest = left(sample, one) if one.tests else sample
            clean = all(L.function_of_rules([one])(x) == y for x, y in records_of(sample))
            if not one.tests or (stops and clean):
                released([one], rest, chance)
                continue
            for second, mass in HALF.distribution(L.round_scores(rest)).items():
                two = L.rule(second)
                last = left(rest, two) if two.tests else rest
                released([one, two], last, chance * mass)
        return merged(found)

    return law


def records_of(sample: Sample[Any]) -> list[tuple[Any, int]]:
    pairs = zip(sample.points, sample.counts, strict=True)
    return [(x, y) for x, counts in pairs for y in np.flatnonzero(counts).tolist()]


# Trees that are grown further.

GROWN = honest("regrown-learner", slice(-1, None))


class WholeEpsilonALeaf(RegrownLearner[Any]):
    """Each leaf has all of epsilon."""

    def __init__(self, hypotheses: Any, budget: Budget) -> None:
        super().__init__(hypotheses, budget)
        self.mechanism = ExponentialMechanism(budget.epsilon)


class InBothLeaves(RegrownLearner[Any]):
    """A record whose tested value is missing counts on both sides of the split."""

    def parts(self, tree: Any, sample: Sample[Any]) -> list[Sample[Any]]:
        parts = super().parts(tree, sample)
        if len(parts) < 2:
            return parts
        missing = sample.keep_where(
            np.array([x[tree.root.test.column] == "" for x in sample.points])
        )
        return [joined(part, missing) for part in parts]


class AllRecordsInEachLeaf(RegrownLearner[Any]):
    """Each leaf is split by the errors on all records."""

    def parts(self, tree: Any, sample: Sample[Any]) -> list[Sample[Any]]:
        return [sample for _ in super().parts(tree, sample)]


class MajorityLabels(RegrownLearner[Any]):
    """The condition of a leaf is drawn, and then each side has its most frequent label."""

    def _scores(self, part: Sample[Any]) -> Any:
        scores, ends = super()._scores(part), self.hypotheses.labels**2
        best = scores.errors.reshape(-1, ends).min(axis=1, keepdims=True)
        first = scores.errors.reshape(-1, ends).argmin(axis=1)[:, None] == np.arange(ends)
        # What is not the best of its condition is hardly ever drawn.
        return replace(scores, errors=np.where(first, best, 300).ravel())


def joined(one: Sample[Any], other: Sample[Any]) -> Sample[Any]:
    """The sample of the points of both, each once."""
    counts: dict[Any, Any] = dict(zip(other.points, other.counts, strict=True))
    counts.update(zip(one.points, one.counts, strict=True))
    return Sample.from_counts(one.domain, {x: list(map(int, n)) for x, n in counts.items()})


def grown(kind: type[RegrownLearner[Any]]) -> Callable[[Records], Masses]:
    learner = kind(parse_class(REGROWN), Budget(1))
    law = by_sample(learner)
    return lambda records: merged(law(records))


# Costs, in rounds and in leaves.

LISTS_OF_COSTS = honest("rule-list-learner-costs")
GROWN_OF_COSTS = honest("regrown-learner-costs")


class RoundsOfErrors(RoundsLearner[Any]):
    """Costs are counted, and the rounds have the base of errors that count 1."""

    def __init__(self, hypotheses: Any, budget: Budget) -> None:
        super().__init__(hypotheses, budget, cost=(3, 2))
        self.mechanism = ExponentialMechanism(self.mechanism.epsilon)


class LeavesOfErrors(RegrownLearner[Any]):
    """Costs are counted, and the leaves have the base of errors that count 1."""

    def __init__(self, hypotheses: Any, budget: Budget) -> None:
        super().__init__(hypotheses, budget, cost=(1, 3))
        self.mechanism = ExponentialMechanism(self.mechanism.epsilon)


def by_its_law(name: str, subject: Subject[Any], learner: Any) -> Plant:
    law, mistake = by_sample(learner), (type(learner).__doc__ or "").partition("\n")[0]
    return _plant(name, mistake, subject, lambda records: merged(law(records)))


def _plant(name: str, mistake: str, subject: Subject[Any], broken: Any) -> Plant:
    made = replace(subject, distribution=broken)
    return Plant(name, mistake, is_private, subject, made)


def _open(kind: type[OpenConditions], mistake: str) -> Plant:
    return Plant(f"open_{kind.__name__}", mistake, is_private, opened(OpenConditions), opened(kind))


def _grown(kind: type[RegrownLearner[Any]], mistake: str) -> Plant:
    return _plant(f"regrown_{kind.__name__}", mistake, GROWN, grown(kind))


PLANTS = [
    _plant("conditions_error_in_each_column", "An error counts once for each column of the rule.",
           CONDITIONS, scored(error_in_each_column)),
    _plant("conditions_cuts_of_the_data", "Grids are cut at the values that occur.",
           CONDITIONS, on_cuts(lambda values: values)),
    _plant("conditions_cells_of_quantiles", "A grid is cut at the median of its column.",
           CONDITIONS, on_cuts(median)),
    _plant("typed_within_the_range", "A scale is cut between the least and the greatest value.",
           TYPE, on_kept_cuts(within_the_range)),
    _plant("typed_around_the_records", "Cells of a scale that hold no record are merged.",
           TYPE, on_kept_cuts(around_the_records)),
    _plant("typed_of_their_sign", "A scale has cuts below 0 where some value is.",
           TYPE, on_kept_cuts(of_their_sign)),
    _plant("typed_whole_if_they_are", "A scale has whole cuts where all values are whole.",
           TYPE, on_kept_cuts(whole_if_they_are)),
    _plant("conditions_uncovered_dropped", "Rules that cover no record are no candidates.",
           CONDITIONS, scored(uncovered_dropped)),
    _plant("conditions_divided_by_covered", "Errors are divided by the number of covered records.",
           CONDITIONS, scored(divided_by_covered)),
    _open(ForgetsDeclared, "The growth takes a value to obey one condition on each declared column."),
    _open(ForgetsPairs, "The growth counts rules of one condition only."),
    _plant("trees_majority_leaves", "Conditions are drawn, and leaves get their majority labels.",
           TREE, by_groups(majority_leaves)),
    _plant("trees_root_by_its_best", "A root weighs as much as its best tree.",
           best_roots(), by_groups(root_by_its_best)),
    _plant("trees_halves_all_of_epsilon", "Each half is drawn with the base e^epsilon.",
           TREE, by_groups(halves_all_of_epsilon)),
    _plant("trees_near_best_halves", "Halves are drawn from those within one error of the best.",
           TREE, by_groups(near_best_halves)),
    _plant("trees_labels_that_occur", "Leaves have labels that occur in the sample only.",
           THREE, labels_that_occur),
    Plant("trees_draw_by_best_counts", "A root is drawn by the number of its best trees alone.",
          draws_exactly, COUNTED, changed(COUNTED, draw_by_best_counts)),
    Plant("trees_window_cuts_groups", "Roots whose best tree lies beyond the window are left out.",
          draws_exactly, changed(SUMS, small_window), changed(SUMS, window_cuts_groups)),
    _plant("rounds_all_of_epsilon_each", "Each round spends all of epsilon.",
           LISTS, twice_the_budget("rule-list-learner")),
    _plant("rounds_default_refitted", "The default label is the majority of what is left at the end.",
           LISTS, in_two_rounds(refits=True)),
    _plant("rounds_stop_when_clean", "There is no further round when the rules make no error.",
           LISTS, in_two_rounds(stops=True)),
    _grown(WholeEpsilonALeaf, "Each leaf spends all of epsilon."),
    _grown(InBothLeaves, "A record whose value is missing counts in both leaves of a split."),
    _grown(AllRecordsInEachLeaf, "Each leaf is split by the errors on all records."),
    _grown(MajorityLabels, "The condition of a leaf is drawn, and its labels are majorities."),
    by_its_law("rounds_costs_of_errors", LISTS_OF_COSTS,
             RoundsOfErrors(parse_class("rule_list(x at {0}; at most 2)"), Budget(1))),
    by_its_law("regrown_costs_of_errors", GROWN_OF_COSTS,
             LeavesOfErrors(parse_class(REGROWN), Budget(1))),
]  # fmt: skip
