"""Gross faults in what is drawn and in what is stated, each with the rows that speak of the code.

At least one of those rows turns red; the first one named does.
"""

from __future__ import annotations

from typing import NamedTuple

from planting import Fault


class Gross(NamedTuple):
    """A fault, and the rows that speak of its code, as "module.row"."""

    fault: Fault
    rows: tuple[str, ...]


def gross(place: str, old: str, new: str, mistake: str, rows: str) -> Gross:
    """The fault in ``place`` beneath ``littlestone``; ``rows`` are words."""
    return Gross(Fault(f"littlestone.{place}", old, new, mistake), tuple(rows.split()))


EXPONENTIAL = "privacy.mechanisms.exponential:ExponentialMechanism"
LEARNER = "learn.exponential:ExponentialLearner"
SPARSE = "privacy.mechanisms.sparse_selection:SparseSelection"
HISTOGRAM = "privacy.mechanisms.partition_selection:StableHistogram.release"
MECHANISMS = "privacy.mechanisms"
FORMULAS = "learn.plan.sizes:formulas"
LOWER = "learn.plan.lower"
TREE = "theory.decomposition.valid_trees:check_tree"
VOTING = "learn.papers.voting:VotingLearner"
SIZES = "learn.stream.stage_sizes"

SCORED = (
    "lecture5.exponential_privacy mechanisms.exponential-learner-missed "
    "mechanisms.conditions-learner"
)
SPARSE_ROWS = (
    "mechanisms.sparse-sampling mechanisms.choosing-mechanism mechanisms.choosing-mechanism-loss "
    "mechanisms.irreducible-learner mechanisms.open-conditions-learner "
    "mechanisms.online-staged-learner mechanisms.least_bottom"
)
HISTOGRAM_ROWS = "mechanisms.stable-histogram blm20.learner_as_a_whole"
TESTS = "mechanisms.above-threshold mechanisms.sparse-vector mechanisms.online-staged-learner"
TREES = (
    "lyu25_trees.valid_trees_only lyu25.valid_trees_exist lyu25.leaf_counts "
    "lyu25_lists.greedy_nested_trees lyu25_lists.lists_of_balls several_labels.leaves"
)
STATED = "lyu25_sizes.formulas_as_printed"
VOTES = (
    "lyu25_sizes.votes_of_teachers lyu25_lists.on_a_fixed_data_set bgs21.sizes_by_mls "
    "bgs21.sizes_by_bit_classes"
)
LISTS = (
    "lyu25_lists.all_that_errs_little lyu25_lists.one_rule_on_all_lists "
    "lyu25_lists.on_a_fixed_data_set"
)
BOUNDS = "planning.bounds_by_formula planning.sizes_above planning.one_point"
PATCHES = (
    "blm20.tournament_examples_are_mistakes blm20.stability_generalizes blm20.frequent_rules "
    "blm20.who_wins_is_not_independent blm20.frequent_rules_generalize blm20.globally_stable"
)

GROSS = [
    # What is drawn.
    gross(
        f"{LEARNER}.draw",
        "scores.item(self.mechanism.draw(scores, receipt=receipt))",
        "scores.item(int(scores.errors.argmin()))",
        "the exponential learner takes the first of least error",
        SCORED,
    ),
    gross(
        f"{LEARNER}.__init__",
        "hypotheses, budget.epsilon, ",
        "hypotheses, 2 * budget.epsilon, ",
        "the exponential learner draws, and claims, at twice epsilon",
        SCORED,
    ),
    gross(
        f"{EXPONENTIAL}.draw",
        "data.lengths, self.base, rng",
        "data.lengths, self.base**2, rng",
        "the exponential mechanism draws at twice epsilon",
        SCORED,
    ),
    gross(
        f"{EXPONENTIAL}.draw",
        "data.errors, data.lengths, self.base, rng",
        "data.errors * 0, data.lengths, self.base, rng",
        "the exponential mechanism draws uniformly",
        SCORED,
    ),
    gross(
        f"{EXPONENTIAL}.draw_sum",
        "data.groups, self.base, rng",
        "data.groups, self.base**100, rng",
        "the draw of a tree is the best",
        "mechanisms.trees-learner mechanisms.exponential-learner-lines mechanisms.regrown-learner",
    ),
    gross(
        f"{EXPONENTIAL}.draw_sum",
        "data.groups, self.base, rng",
        "data.groups, self.base**2, rng",
        "the draw of a tree is at twice epsilon",
        "mechanisms.trees-learner mechanisms.exponential-learner-lines mechanisms.regrown-learner",
    ),
    gross(
        f"{SPARSE}._place",
        "np.append(scores, self.bottom)",
        "np.append(scores, self.bottom - 30)",
        "bottom scores 30 less in the draw",
        SPARSE_ROWS,
    ),
    gross(
        f"{SPARSE}.bottom",
        "return self.heaviest +",
        "return self.heaviest - 30 +",
        "bottom scores 30 less",
        SPARSE_ROWS,
    ),
    gross(
        f"{VOTING}.draw",
        "found = self.mechanism.select(scores, rng)",
        "found = max(scores, key=scores.get)",
        "the rule that most teachers list is released",
        "mechanisms.irreducible-learner lyu25_lists.on_a_fixed_data_set",
    ),
    gross(
        f"{HISTOGRAM}",
        "count + discrete_laplace(self.ratio, rng)",
        "count",
        "the histogram has no noise",
        HISTOGRAM_ROWS,
    ),
    gross(
        f"{HISTOGRAM}",
        " if count >= self.threshold",
        "",
        "the histogram releases every key",
        HISTOGRAM_ROWS,
    ),
    gross(
        f"{MECHANISMS}.threshold_tests:Session.test",
        "bernoulli(laplace_at_least(self._noise, at_least), self._rng)",
        "at_least <= 0",
        "tests have no noise",
        TESTS,
    ),
    gross(
        f"{MECHANISMS}.above_threshold:SparseVector.begin",
        "discrete_laplace(threshold_noise, rng)",
        "0",
        "the threshold has no noise",
        "mechanisms.sparse-vector",
    ),
    gross(
        f"{MECHANISMS}.threshold_tests:OneSidedThreshold._time_epoch",
        "- count + skips",
        "- count",
        "the counter skips no record",
        "mechanisms.one-sided-threshold mechanisms.online-teacher-learner "
        "mechanisms.online-staged-learner lyu25_online.mistakes_before_a_hit",
    ),
    gross(
        "privacy.mechanisms.cell_counts:CellCounts.draw",
        "count + discrete_laplace(self.ratio, rng)",
        "count",
        "counts of cells have no noise",
        "mechanisms.group-estimates mechanisms.risks-of-steps",
    ),
    gross(
        "learn.papers.globally_stable:GloballyStableLearner.draw",
        "survivors[self.choice.draw(errors(survivors, fresh), receipt=receipt)]",
        "survivors[int(errors(survivors, fresh).errors.argmin())]",
        "the best of the frequent rules is released",
        "blm20.learner_as_a_whole",
    ),
    # What is stated.
    gross(
        TREE,
        "if (points := V.reducing_points(k)) is not None:",
        "if (points := V.reducing_points(k)) is not None and False:",
        "check_tree accepts reducible leaves",
        TREES,
    ),
    gross(
        TREE,
        'if depth > deepest:\n            return f"node {i}: its depth {depth} exceeds {deepest}, as a',
        'if False:\n            return f"node {i}: its depth {depth} exceeds {deepest}, as a',
        "check_tree accepts leaves that are too deep",
        TREES,
    ),
    gross(
        TREE,
        "elif not side.is_empty():",
        "elif False:",
        "check_tree accepts trees that lose hypotheses",
        TREES,
    ),
    gross(FORMULAS, "d**5 * rare", "d**2 * rare", "d^5 is read as d^2", STATED),
    gross(FORMULAS, "log**8", "log**2", "log^8 is read as log^2", STATED),
    gross(FORMULAS, "(6 * d) ** 5 * log**7", "d**5 * log**7", "6 d is read as d", STATED),
    gross(
        FORMULAS,
        "(d + doubt) / alpha) / (epsilon * alpha)",
        "(d + doubt)) / (epsilon * alpha)",
        "the agnostic part has no 1 / alpha",
        f"{STATED} blm20_learner.agnostic_learner",
    ),
    gross(
        FORMULAS,
        "max(1 / (epsilon * alpha), alpha**-2)",
        "max(1 / (epsilon * alpha), 1 / alpha)",
        "1 / alpha^2 is read as 1 / alpha",
        f"{STATED} lecture5.exponential_sample_size",
    ),
    gross(
        "learn.plan.sizes:_lecture5",
        "2 * n * alpha**2 / 9",
        "2 * n * alpha**2",
        "the lecture's proof loses a 9",
        f"{STATED} lecture5.exponential_sample_size",
    ),
    gross(
        "learn.plan.sizes:stream_formulas",
        "d**9.5 * logarithms",
        "d**5 * logarithms",
        "d^9.5 is read as d^5",
        f"{STATED} lyu25_sizes.few_mistakes",
    ),
    gross(
        f"{VOTING}.plan",
        "Bound(self.teachers * m,",
        "Bound(m,",
        "the planned size is that of one teacher",
        VOTES,
    ),
    gross(
        f"{VOTING}.apart",
        "math.log(steps * k * (k - 1)) + patterns",
        "patterns",
        "the pairs of teachers are not counted",
        VOTES,
    ),
    gross(
        "learn.papers.irreducible:IrreducibleLearner.interleaving",
        "1 / (d * (d + 1))",
        "1 / d",
        "the exponent of interleaving is d + 1 times as large",
        VOTES,
    ),
    gross(
        "learn.papers.irreducible:IrreducibleLearner.hypotheses_of_teacher",
        "int(self.alpha * chunk.n)",
        "0",
        "teachers list rules without any error only",
        LISTS,
    ),
    gross(
        "learn.papers.teachers:frontier",
        "waiting[0][0] <= max_errors",
        "waiting[0][0] <= max_errors // 2",
        "teachers list rules of half the errors",
        LISTS,
    ),
    gross(
        f"{LOWER}:chain",
        "indistinct(epsilon, delta), alpha, beta)",
        "indistinct(epsilon, delta), alpha, beta) * 3 // 2",
        "the lower bound of private learners is half as large again",
        BOUNDS,
    ),
    gross(
        f"{LOWER}:rarest_failure",
        "points * np.log1p",
        "2 * points * np.log1p",
        "the rarest of twice as many points",
        BOUNDS,
    ),
    gross(
        f"{LOWER}:release",
        "return least(",
        "return 2 * least(",
        "the lower bound of unions is twice as large",
        BOUNDS,
    ),
    gross(
        f"{LOWER}:unseen",
        "most = max(sizes, default=1)",
        "most = 2 * max(sizes, default=1)",
        "the lower bound of any learner is twice as large",
        BOUNDS,
    ),
    gross(
        f"{LOWER}:indistinct",
        "found.append(1 - odd)",
        "found.append(found[-1])",
        "an odd number of records is as good as one record less",
        f"planning.indistinct_bits {BOUNDS}",
    ),
    gross(
        "learn.stream.staged:StagedOnlineLearner.mistake_bound",
        'adaptive=self.adversary == "adaptive"',
        "adaptive=True",
        "the oblivious bound is said to hold for adaptive adversaries",
        "lyu25_sizes.few_mistakes",
    ),
    gross(
        f"{SIZES}:draws_failure",
        'if adversary == "oblivious":',
        "if True:",
        "votes are as safe for points that are chosen afterwards",
        "lyu25_sizes.votes_of_draws lyu25_sizes.few_mistakes",
    ),
    gross(
        "theory.game.players:ExtendedSOA.update",
        "others if right else others | {(x, y)}",
        "others",
        "the SOA has no patches",
        PATCHES,
    ),
    gross(
        "theory.game.players:AgnosticExperts.update",
        "1.0 if label == y else self.kept",
        "1.0 if label != y else self.kept",
        "the rates of right and wrong are swapped",
        "regret.few_more_mistakes regret.no_fewer_mistakes",
    ),
    gross(
        "theory.game.players:AgnosticExperts.update",
        "self.expected_mistakes += wrong / whole",
        "self.expected_mistakes += 1 - wrong / whole",
        "what is right is counted as mistakes",
        "regret.few_more_mistakes regret.no_fewer_mistakes",
    ),
    gross(
        "learn.papers.globally_stable:_winner",
        "if f == g:\n            continue",
        "if f == g:\n            return None",
        "equal rules are not played again",
        "tournaments.tournaments tournaments.globally_stable_code",
    ),
    gross(
        "learn.papers.globally_stable:_winner",
        "(one if f(x) != y else other).update(x, y)",
        "(one if f(x) != y else other)",
        "the sample lacks the example of its tournament",
        "tournaments.tournaments tournaments.globally_stable_code",
    ),
]
