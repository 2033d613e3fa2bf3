"""The choosing learner: private on every tiny pair of samples, and right on real tasks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from exact_draws import Draws
from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import EqualityRules, Points, RuleSets, Subsets, Thresholds, parse_class
from littlestone.classes.counting import rules as counting
from littlestone.classes.promises.covering import Covering
from littlestone.data.sample import Sample
from littlestone.learn import ChoosingLearner, Release
from littlestone.learn.plan import choose_learner
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms.choosing import ChoosingMechanism
from littlestone.privacy.randomness import seeded_generator
from littlestone.privacy.scores import Elements
from littlestone.prove.audit.claims import exact_audit, neighbours
from littlestone.rules import Hypothesis

Records = tuple[tuple[Any, int], ...]

CASES: list[tuple[Covering[Any], int, int]] = [  # class, values a column, records
    (Points(Integers()), 3, 3),
    (Subsets(Integers(), 2), 3, 3),
    (EqualityRules.over_columns("a", max_literals=1), 2, 3),
    (EqualityRules.over_columns("a", "b", max_literals=2), 2, 2),
    (RuleSets.over_columns("a", "b", max_rules=2, max_literals=1), 2, 2),
]


def holds(H: Covering[Any], values: int, n: int, kind: type[ChoosingLearner[Any]]) -> bool:
    """Whether the claim survives all neighbouring samples of n records over a few points."""
    columns = getattr(H.domain, "columns", None)
    points = list(product(*(c.examples(values) for c in columns))) if columns else range(values)
    records = tuple(product(points, (0, 1)))
    for epsilon, delta in [("1", "0.1"), ("0.5", "0.01")]:
        learner = kind(H, Budget(epsilon, delta))

        def distribution(data: Any, learner: Any = learner) -> dict[Any, Fraction]:
            found = learner.distribution(Sample.from_examples(H.domain, data))
            return {h.words(): mass for h, mass in found.items()}

        pairs = neighbours(records, n, ordered=False)
        if not exact_audit(distribution, pairs, learner.event).holds:
            return False
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
def test_private_on_every_tiny_pair(case: tuple[Covering[Any], int, int]) -> None:
    assert holds(*case, ChoosingLearner)


class SeesTheWholeTableToCut(ChoosingLearner[Any]):
    """Leaves out elements that cover fewer than two positives, "to save time"."""

    def distribution(self, sample: Sample[Any]) -> dict[Hypothesis[Any], Fraction]:
        broken = ChoosingLearner.distribution
        kept = sample.positives >= 2
        positives = np.where(kept, sample.positives, 0)
        left = Sample.of_two(sample.domain, sample.points, sample.negatives, positives)
        return broken(self, left)


class TwiceTheGrowth(EqualityRules):
    """Says that one rule covers a record, although several do."""

    @property
    def elements_per_point(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("H", "values", "n", "kind"),
    [
        (Points(Integers()), 2, 3, SeesTheWholeTableToCut),
        (TwiceTheGrowth.over_columns(*"abc", max_literals=3), 1, 1, ChoosingLearner),
    ],
)
def test_a_broken_learner_is_caught(
    H: Covering[Any], values: int, n: int, kind: type[ChoosingLearner[Any]]
) -> None:
    assert not holds(H, values, n, kind)


@pytest.mark.deep
def test_draws_follow_the_distribution() -> None:
    H = Subsets(Integers(), 2)
    sample = Sample[Any].from_counts(H.domain, {1: [0, 5], 2: [1, 4], 3: [2, 2], 4: [6, 0]})
    learner = ChoosingLearner(H, Budget(4, "0.05"))
    exact = learner.distribution(sample)
    assert sum(exact.values()) == 1
    rng, drawn = seeded_generator(5), dict.fromkeys(exact, 0)
    with Ledger() as ledger:
        for _ in range(2000):
            receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
            drawn[learner.draw(sample, receipt=receipt)] += 1
    from scipy import stats

    pairs = [(drawn[h], 2000 * float(p)) for h, p in exact.items()]
    rare = [pair for pair in pairs if pair[1] < 5]
    cells = [pair for pair in pairs if pair[1] >= 5] + [
        (sum(a for a, _ in rare), sum(b for _, b in rare))
    ]
    assert stats.chisquare(*zip(*cells, strict=True)).pvalue > 1e-3


def learned(text: str, examples: Iterable[tuple[Any, int]], **options: object) -> Release:
    H = parse_class(text)
    learner, _ = choose_learner(H, Budget(1, "1e-6"), **options)  # type: ignore[arg-type]
    with Ledger() as ledger:
        return learner.fit(
            Sample.from_examples(H.domain, examples),
            ledger=ledger,
            dataset="d",
            rng=seeded_generator(1),
        )


def test_a_rule_and_two_rules_are_found() -> None:
    rng = random.Random(2)
    people = [
        (rng.choice("abcdefgh"), f"device{rng.randrange(200)}", rng.choice("xyz"))
        for _ in range(4000)
    ]
    one = [(x, int(x[0] == "a" and x[2] == "x")) for x in people]
    assert learned("rules(merchant, device, city; at most 2)", one).hypothesis.words() == (
        "merchant is 'a' and city is 'x'"
    )
    two = [(x, int(x[0] == "a" or x[2] == "x")) for x in people]
    release = learned("rule_sets(merchant, device, city; at most 2 rules of 2)", two)
    assert release.hypothesis.words() == "city is 'x' or merchant is 'a'" or (
        release.hypothesis.words() == "merchant is 'a' or city is 'x'"
    )
    assert Release.from_json(release.to_json()) == release


@pytest.mark.deep
def test_two_rules_over_four_columns() -> None:
    """A class whose Littlestone dimension is not searched for."""
    rng = random.Random(3)
    people = [tuple(rng.choice("abcdefgh") for _ in range(4)) for _ in range(6000)]
    examples = [(x, int(x[:2] == ("a", "b") or x[2:] == ("c", "d"))) for x in people]
    release = learned("rule_sets(u, v, w, x; at most 2 rules of 2)", examples)
    assert release.hypothesis.words() == "(u is 'a' and v is 'b') or (w is 'c' and x is 'd')"


def test_peeling_prefers_a_general_rule() -> None:
    """Three rules without an error, and yet the first one taken is the constant 1."""
    examples = [((value,), int(value != "d")) for value in "abcd" for _ in range(500)]
    release = learned("rule_sets(u; at most 3 rules of 1)", examples)
    assert release.hypothesis.words() == "always 1"


def test_recovery_is_as_likely_as_proved() -> None:
    H = RuleSets.over_columns("u", max_rules=2, max_literals=1)
    learner = ChoosingLearner(H, Budget(4, "1e-3"))
    base, bottom = learner.mechanism.base, learner.mechanism.bottom
    for gamma in (2, 5, 10):
        often = {"a": [0, bottom + gamma], "b": [3, bottom + gamma + 3], "c": [99, 1]}
        counts = {(value,): count for value, count in often.items()}
        found = learner.distribution(Sample[Any].from_counts(H.domain, counts))
        target = {h: p for h, p in found.items() if h.words() == "u is 'a' or u is 'b'"}
        # The candidates are the empty rule and those of the three values.
        assert 1 - sum(target.values()) <= 2 * (4 + 1) / base**gamma


@pytest.mark.parametrize(
    "examples",
    [
        [(x, y) for x in range(5) for y in (0, 1)],
        [(1, 0)] * 50,
        [(x, 1) for x in range(200)],
        [("no number", 1), (None, 1), (float("nan"), "1"), (10**5000, 0)],
    ],
)
def test_no_sample_raises(examples: list[tuple[Any, int]]) -> None:
    for text in ("points(id; integers)", "subsets(id; at most 3, integers)"):
        assert learned(text, examples).n == len(examples)


def test_the_proved_size_is_enough() -> None:
    """Failures at the size that `plan` proves, on the hardest weights: a little above alpha."""
    H = Points(Integers())
    learner = ChoosingLearner(H, Budget(1, "1e-6"))
    bound = learner.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    g, rng, failures = np.random.default_rng(1), seeded_generator(2), 0
    with Ledger() as ledger:
        for _ in range(300):
            ones = int(g.binomial(bound.n, 0.101))
            sample = Sample[Any].from_counts(H.domain, {7: [0, ones], 8: [bound.n - ones, 0]})
            receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
            failures += not learner.draw(sample, receipt=receipt)(7)
    assert failures <= 300 * 0.05 + 12
    again = ChoosingLearner(Subsets(Integers(), 2), Budget(1, "1e-6"))
    assert again.plan(0.1, 0.05) is None
    assert again.accuracy(10**6, 0.05) is None


def test_refusals() -> None:
    with pytest.raises(DeclarationError, match="unions of elements"):
        ChoosingLearner(Thresholds.on(0, 9), Budget(1, "1e-6"))
    with pytest.raises(DeclarationError, match="delta"):
        ChoosingLearner(Points(Integers()), Budget(1))
    with pytest.raises(DeclarationError, match="no such method"):
        choose_learner(Points(Integers()), Budget(1, "1e-6"), method="magic")
    with pytest.raises(DeclarationError, match="delta"):
        choose_learner(Points(Integers()), Budget(1))


def test_elements_are_those_that_cover_a_positive() -> None:
    H = EqualityRules.over_columns("a", "b", max_literals=2)
    examples = [(("x", "y"), 1), (("x", "z"), 0), (("x", "y"), 0), (("u", "z"), 1)]
    elements = H.elements(Sample.from_examples(H.domain, examples))
    found = {
        elements.element(i).words(): (int(p), int(q))
        for i, (p, q) in enumerate(zip(elements.positives, elements.negatives, strict=True))
    }
    assert found == {
        "always 1": (2, 2),
        "a is 'x'": (1, 2),
        "a is 'u'": (1, 0),
        "b is 'y'": (1, 1),
        "b is 'z'": (1, 1),
        "a is 'x' and b is 'y'": (1, 1),
        "a is 'u' and b is 'z'": (1, 0),
    }
    assert isinstance(elements, Elements)


RUN = Sample[Any].from_counts(
    EqualityRules.over_columns("a", "b", max_literals=2).domain,
    {
        ("u", "v"): [1, 3],
        ("u", "w"): [0, 1],
        ("t", "v"): [0, 1],
        ("t", "w"): [4, 1],
        ("s", "s"): [0, 3],
    },
)


def law_of_draw() -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The law of the real draw, and that of scoring the rules one by one."""
    learner = ChoosingLearner(
        EqualityRules.over_columns("a", "b", max_literals=2), Budget(4, "0.05")
    )

    def drawn(rng: random.Random) -> Any:
        with Ledger() as ledger:
            receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
            return learner.draw(RUN, receipt=receipt)

    law, rest = Draws(rare=Fraction(0)).law(drawn)
    assert rest == 0
    return law, learner.distribution(RUN)


def test_many_rules_are_drawn_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one = law_of_draw()
    assert one_by_one[0] == one_by_one[1]
    monkeypatch.setattr(counting, "FEW_RULES", 1)
    found = EqualityRules.over_columns("a", "b", max_literals=2).elements(RUN)
    assert found.number_of_elements > len(found.positives)
    assert law_of_draw() == one_by_one


def first_of_the_run(patch: pytest.MonkeyPatch) -> None:
    """Gives the first rule of a run for all of them."""
    listed = EqualityRules.elements

    def elements(self: EqualityRules, sample: Sample[Any]) -> Elements:
        found = listed(self, sample)
        assert found.lengths is not None
        stops = np.cumsum(found.lengths)
        starts = np.repeat(stops - found.lengths, found.lengths).tolist()
        return replace(found, element=lambda i: found.element(starts[i]))

    patch.setattr(EqualityRules, "elements", elements)


def without_lengths(patch: pytest.MonkeyPatch) -> None:
    """Draws a run as if it were one rule."""
    place = ChoosingMechanism._place
    patch.setattr(
        ChoosingMechanism,
        "_place",
        lambda self, scores, lengths, rng: place(self, scores, None, rng),
    )


@pytest.mark.parametrize("broken", [first_of_the_run, without_lengths])
def test_a_wrong_draw_of_runs_is_caught(
    broken: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = law_of_draw()[1]
    monkeypatch.setattr(counting, "FEW_RULES", 1)
    broken(monkeypatch)
    assert law_of_draw()[0] != exact


def test_many_records_are_refused_only_for_the_time() -> None:
    learner = ChoosingLearner(
        EqualityRules.over_columns(*"abcd", max_literals=2), Budget(1, "1e-6")
    )
    learner.require_affordable(100_000_000)
    with pytest.raises(TooLargeError, match="2,200,000,000 steps, more than 2,147,483,648"):
        learner.require_affordable(200_000_000)
