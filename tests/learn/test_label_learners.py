"""Learners of several labels: private for every sample, and as accurate as they plan to be."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from each import each
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, LedgerError
from littlestone.classes import FiniteClass, HypothesisClass, parse_class
from littlestone.classes.text.declared import DeclaredClass
from littlestone.data.sample import Sample
from littlestone.learn import (
    BitPartsLearner,
    BitsLearner,
    ExponentialLearner,
    IrreducibleLearner,
    PrivateLearner,
    Release,
)
from littlestone.learn import bits as parts
from littlestone.learn.bits import balance_shares, sizes
from littlestone.learn.papers.teachers import split
from littlestone.learn.plan import choice
from littlestone.points import Integers
from littlestone.privacy import Budget
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.rules import BitFunction

LABELS = ("on time", "late", "cancelled")
EVERY: list[type[PrivateLearner[Any]]] = [
    *concrete(PrivateLearner, "littlestone.learn")  # type: ignore[type-abstract]
]
LEARNERS: list[Any] = [kind for kind in EVERY if kind.several]
CLASSES: list[HypothesisClass[Any]] = [
    FiniteClass.from_array([[0, 1], [1, 2], [2, 2], [0, 0]], labels=3),
    *(
        parse_class(text, labels=3)
        for text in (
            "outcomes(a, integers(b); at most 1)",
            "outcomes(a; at most 2)",
            "lookup(a; at most 2)",
            "lookup(a, integers(b); at most 2)",
            "trees(x at {0, 1}; depth 2)",
            "trees(a; depth 1)",
            "rule_list(x at {0, 1}; at most 2)",
        )
    ),
]
WILD: list[Any] = [None, "", float("nan"), 10**5000, b"\xff", "\ud800", [], ["u"], object(), "u", 1]


@cache
def learner_of(kind: Any, H: HypothesisClass[Any]) -> Any:
    try:
        return kind(H, Budget(1, "0.01"))
    except DeclarationError:
        return None


@cache
def applicable() -> list[tuple[Any, HypothesisClass[Any]]]:
    return [(kind, H) for kind in LEARNERS for H in CLASSES if learner_of(kind, H) is not None]


def released(learner: Any, examples: list[tuple[Any, Any]], seed: int = 1) -> Release:
    H = learner.hypotheses
    sample = Sample.from_examples(H.domain, examples, labels=LABELS)
    with Ledger() as ledger:
        found: Release = learner.fit(
            sample,
            ledger=ledger,
            dataset="d",
            label="flight",
            labels=LABELS,
            rng=seeded_generator(seed),
        )
    return found


def test_every_learner_has_a_class() -> None:
    assert {kind for kind, _ in applicable()} == set(LEARNERS)
    assert len({kind.method for kind in LEARNERS}) == len(LEARNERS)


@each(("kind", "H"), applicable, ids=lambda made: getattr(made, "method", str(made)), quick=5)
def test_no_sample_raises(kind: Any, H: HypothesisClass[Any]) -> None:
    learner = learner_of(kind, H)
    samples = [
        [("u", "late")],
        [(x, "cancelled") for x in WILD * 5],
        [("u", y) for y in WILD * 5],
        [(["u", 1], LABELS[i % 3]) for i in range(60)],
        [([str(i), i], "late") for i in range(60)],
    ]
    for examples in samples:
        release = released(learner, examples)
        assert release.n == len(examples)
        again = Release.from_json(json.loads(json.dumps(release.to_json())))
        assert again == release
        assert release.words().startswith("flight  =  ")
    assert pickle.loads(pickle.dumps(learner)).event == learner.event


# A learner of two labels would read a table of three without complaint, and release garbage.


def says_several(kind: type[Any]) -> bool:
    """Whether it says ``several`` itself, or a base does that is no `PrivateLearner` in general."""
    own = kind.__mro__[: kind.__mro__.index(PrivateLearner)]
    return any("several" in vars(base) for base in own)


def of_several() -> list[HypothesisClass[Any]]:
    """All example classes of more than two labels; and tables, of which an example may have two."""
    kinds: list[Any] = [*concrete(DeclaredClass, "littlestone.classes")]  # type: ignore[type-abstract]
    found = [H for kind in kinds for H in kind.examples()]
    return [*CLASSES, *(H for H in found if H.labels > 2)]


def test_every_learner_says_whether_it_learns_several_labels() -> None:
    assert "several" not in vars(PrivateLearner)
    assert [kind.method for kind in EVERY if not says_several(kind)] == []
    assert {kind.several for kind in EVERY} == {False, True}


@each("H", of_several(), ids=str, quick=4)
@each("kind", EVERY, ids=lambda kind: kind.method)
def test_no_learner_of_two_labels_reads_more(kind: Any, H: HypothesisClass[Any]) -> None:
    if not kind.several:
        with pytest.raises(
            DeclarationError, match=f"it learns two labels, and the class has {H.labels}"
        ):
            kind(H, Budget(1, "0.01"))
        return
    learner = learner_of(kind, H)
    if learner is not None:
        x = H.domain.examples(1)[0]
        sample = Sample.from_examples(H.domain, [(x, H.labels - 1)] * 5, labels=H.labels)
        with Ledger() as ledger:
            f = learner.fit(sample, ledger=ledger, dataset="d", rng=seeded_generator(1)).hypothesis
        assert f.labels == H.labels
        assert {f(point) for point in H.domain.examples(9)} <= set(range(H.labels))


def test_a_learner_that_says_nothing_is_seen() -> None:
    class Silent(PrivateLearner[Any]):
        pass

    assert not says_several(Silent)


def test_a_release_tells_the_total_and_the_limit_of_its_moment() -> None:
    learner = learner_of(BitsLearner, CLASSES[0])
    sample = Sample.from_examples(CLASSES[0].domain, [(0, "late")], labels=LABELS)
    most = PrivacyCost(Fraction(5), Fraction(1, 2))
    with Ledger() as ledger:
        ledger.set_limit("d", most)
        found = [learner.fit(sample, ledger=ledger, dataset="d", labels=LABELS) for _ in range(2)]
    cost = learner.cost()
    assert [release.total for release in found] == [cost, cost + cost]
    assert {release.limit for release in found} == {most}


@pytest.mark.parametrize("kind", [BitsLearner, BitPartsLearner])
@pytest.mark.parametrize("delta", ["1e-6", 0])
def test_the_whole_costs_what_was_allowed(kind: Any, delta: object) -> None:
    learner = kind(CLASSES[0], Budget("1/2", delta), binary=ExponentialLearner)
    assert learner.cost().epsilon <= Fraction(1, 2)
    assert learner.cost().delta <= Fraction(str(delta))


@pytest.mark.parametrize("kind", [BitsLearner, BitPartsLearner])
def test_nothing_is_drawn_without_a_receipt(kind: Any) -> None:
    class Untouched(random.Random):
        def getrandbits(self, k: int) -> int:
            raise AssertionError("a random bit was read")

    H = CLASSES[0]
    learner = kind(H, Budget(1), binary=ExponentialLearner)
    sample = Sample.from_examples(H.domain, [("x0", "late")] * 9, labels=LABELS)
    with Ledger() as ledger:
        rng = seeded_generator(1)
        receipt = ledger.spend(learner.event, dataset="d", what="test", rng=rng)
        learner.draw(sample, receipt=receipt)
        state = rng.getstate()
        with pytest.raises(LedgerError):
            learner.draw(sample, receipt=receipt)
        assert rng.getstate() == state
        other = ledger.spend(ExponentialLearner(H.bit_class(0), Budget(9)).event,
                             dataset="d", what="test", rng=Untouched())  # fmt: skip
        with pytest.raises(LedgerError):
            learner.draw(sample, receipt=other)


def test_what_fit_refuses() -> None:
    H = CLASSES[1]
    learner = BitsLearner(H, Budget(1, "0.01"))
    wrong = [
        Sample.from_examples(Integers(), [(1, "late")], labels=LABELS),
        Sample.from_examples(H.domain, [(("u", 1), 3)], labels=4),
        Sample.from_examples(H.domain, [], labels=LABELS),
        Sample.from_examples(H.domain, [(("u", 1), "late")], labels=LABELS).binary({1}),
    ]
    with Ledger() as ledger:
        for sample in wrong:
            with pytest.raises(DeclarationError, match="learn outcomes"):
                learner.fit(sample, ledger=ledger, dataset="d")
        right = Sample.from_examples(H.domain, [(("u", 1), 2)], labels=3)
        for names in (("a", "b"), ("a", "b", "c", "d")):
            with pytest.raises(DeclarationError, match="names"):
                learner.fit(right, ledger=ledger, dataset="d", labels=names)
        assert ledger.entries("d") == []
    for other in (3, -1, True, "late"):
        with pytest.raises(DeclarationError, match="codes above"):
            BitsLearner(H, Budget(1, "0.01"), other=other)  # type: ignore[arg-type]


def test_parts_are_by_place() -> None:
    """Each bit sees its part of the order, with the remainder left out, and only its own bit."""
    H = CLASSES[0]
    learner = BitPartsLearner(H, Budget(1), binary=ExponentialLearner)
    examples = [("x0", "late"), ("x1", "cancelled"), ("x0", "on time")] * 3
    sample = Sample.from_examples(H.domain, examples, labels=LABELS)
    order = np.arange(len(LABELS) * 2).repeat(sample.counts.ravel())
    cut = list(split(sample, order, 2))
    assert [part.n for part in cut] == [4, 4]
    for i, (seen, part) in enumerate(zip(learner.parts(cut), cut, strict=True)):
        ones = {1: 0, 2: 1}
        expected = sum(part.counts[:, y].sum() for y in ones if ones[y] == i)
        assert (seen.n, seen.positives.sum()) == (4, expected)


# Error: what is planned is reached.


def example(rng: random.Random) -> tuple[tuple[str, int], str]:
    x = rng.choice("JENS"), rng.randrange(3)
    return x, "cancelled" if x == ("J", 1) else "on time"


@pytest.mark.parametrize("kind", [BitsLearner, BitPartsLearner])
def test_planned_records_suffice(kind: Any) -> None:
    """Of 20 releases at the planned size none errs on more than alpha; one would be no surprise."""
    H, alpha = CLASSES[1], 0.1
    learner = kind(H, Budget(1, "1e-6"))
    bound = learner.plan(alpha, 0.05, setting="realizable")
    rng, failures = random.Random(3), 0
    for seed in range(20):
        release = released(learner, [example(rng) for _ in range(bound.n)], seed)
        tests = [example(rng) for _ in range(300)]
        wrong = sum(LABELS[release.hypothesis(x)] != y for x, y in tests)
        failures += wrong > alpha * len(tests)
    assert failures <= 2


def test_plans() -> None:
    rules, several = CLASSES[1], CLASSES[2]
    cut = BitPartsLearner(rules, Budget(1, "1e-6"))
    (binary, same) = cut.learners
    assert binary is same
    needed = binary.plan(0.05, 0.025, setting="realizable")
    planned = cut.plan(0.1, 0.05, setting="realizable")
    assert planned is not None
    assert needed is not None
    assert planned.n == 2 * needed.n
    assert cut.plan(0.1, 0.05) is None
    assert learner_of(BitsLearner, several).plan(0.1, 0.05, setting="realizable") is None


def test_alpha_is_shared_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit 0 is a set of at most three of twelve points, and bit 1 of at most one."""
    points = range(12)
    large = [[x in s for x in points] for k in range(4) for s in combinations(points, k)]
    small = [[x in s for x in points] for k in range(2) for s in combinations(points, k)]
    rows = np.array([np.array(a) + 2 * np.array(b) for a in large for b in small])
    H = FiniteClass.from_array(rows, labels=4)
    budget = Budget(1, "1e-6")
    for kind in (BitsLearner, BitPartsLearner):
        learner = kind(H, budget, binary=ExponentialLearner)
        equal = sizes(learner.learners, [0.05, 0.05], 0.05)
        planned = learner.plan(0.1, 0.05, setting="realizable")
        assert equal is not None
        assert planned is not None
        assert planned.n < max(equal) * (2 if kind is BitPartsLearner else 1) * 0.85
        inner_sizes = partial(sizes, learner.learners, beta=0.05)
        shares, found = balance_shares(
            lambda shares, of=inner_sizes: of([0.1 * s for s in shares]),  # type: ignore[misc]
            2,
        ) or ([], [])
        assert sum(shares) <= 1
        for inner, share, n in zip(learner.learners, shares, found, strict=True):
            bound = inner.plan(0.1 * share, 0.025, setting="realizable")
            assert bound is not None
            assert bound.n == n <= planned.n
    monkeypatch.setattr(parts, "first_that_applies", IrreducibleLearner)
    proved = BitPartsLearner.with_proved_bound(H, budget, alpha=0.1, beta=0.05)
    bound = proved.plan(0.1, 0.05, setting="realizable")
    assert bound is not None
    assert bound.n == 2_126_880


@pytest.mark.parametrize("kind", [BitsLearner, BitPartsLearner])
def test_a_code_above_the_labels_is_the_label_that_was_declared(kind: Any) -> None:
    """Bits that err may add up to 3, where there are three labels."""
    H = CLASSES[0]
    for other in range(3):
        learner = kind(H, Budget(40), binary=ExponentialLearner, other=other)
        bit = [learner.bit(Sample(H.domain, ("x0",), np.array([[4, 2, 1]])), i) for i in range(2)]
        assert [part.counts.tolist() for part in bit] == [[[5, 2]], [[6, 1]]]
        always = FiniteClass.from_array([[1, 1]]).hypothesis(0)
        f = learner.classifier([always, always])
        assert [f(x) for x in H.domain] == [other, other]


@pytest.mark.parametrize("setting", ["realizable", "agnostic"])
def test_the_bits_are_learned_by_the_best_for_their_share(
    setting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For b bits: for alpha / b and beta / b, of epsilon / b and delta / b, in the same setting."""
    asked: list[tuple[Any, ...]] = []

    def chosen(H: Any, budget: Budget, **goal: Any) -> tuple[Any, str]:
        asked.append((H, budget, goal))
        return IrreducibleLearner(H, budget), "asked for"

    monkeypatch.setattr(choice, "choose_learner", chosen)
    H = FiniteClass.from_array([[0, 3], [1, 2], [2, 2]], labels=4)
    binary = choice.best_binary(H, Budget(3, "1e-3"), alpha=0.2, beta=0.1, setting=setting)
    goal = {"alpha": 0.1, "beta": 0.05, "setting": setting}
    share = Budget("3/2", "1/2000")
    assert asked == [(H.bit_class(i), share, goal) for i in range(2)]
    made: Any = binary(H.bit_class(1), Budget(1, "1e-4"))
    expected = IrreducibleLearner.for_error(H.bit_class(1), Budget(1, "1e-4"), alpha="0.1")
    assert (made.event, made.alpha) == (expected.event, expected.alpha)
    assert made.hypotheses == H.bit_class(1)


@pytest.mark.parametrize("kind", [BitsLearner, BitPartsLearner])
def test_two_labels_have_no_bits(kind: Any) -> None:
    """They would be the binary learner under another name."""
    with pytest.raises(DeclarationError, match="two labels are one bit"):
        kind(FiniteClass.from_array([[0, 1], [1, 1]]), Budget(1, "0.01"))


def test_four_labels_are_two_binary_learners_on_all_records() -> None:
    H = FiniteClass.from_array([[0, 3], [1, 2], [2, 2]], labels=4)
    bits, cut = (
        kind(H, Budget(1), binary=ExponentialLearner) for kind in (BitsLearner, BitPartsLearner)
    )
    assert [learner.event for learner in cut.learners] == [
        ExponentialLearner(H.bit_class(i), Budget(1)).event for i in range(2)
    ]
    plans = [learner.plan(0.1, 0.05, setting="realizable") for learner in (*bits.learners, bits)]
    assert all(plans)
    sample = Sample.from_examples(H.domain, [("x0", 2), ("x1", 2)] * 200, labels=4)
    for seed in range(5):
        with Ledger() as ledger:
            rng = seeded_generator(seed)
            f = bits.fit(sample, ledger=ledger, dataset="d", rng=rng).hypothesis
        assert isinstance(f, BitFunction)
        assert [f("x0"), f("x1")] == [2, 2]


def test_the_binary_learner_may_be_any() -> None:
    made = partial(IrreducibleLearner, alpha="0.02", teachers=40)
    learner = BitsLearner(CLASSES[1], Budget(4, "1e-3"), binary=made)
    release = released(learner, [(("J", 1), "late"), (("E", 1), "on time")] * 4000)
    assert [release.hypothesis(x) for x in (("J", 1), ("E", 1))] == [1, 0]
