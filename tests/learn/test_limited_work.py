"""What teachers decompose after a spend takes a limited number of steps, whatever they hold."""

import random
from typing import Any

import pytest

from littlestone.base.errors import TooLargeError
from littlestone.base.work import answering, at_most, count_search
from littlestone.classes.text.declared import parse_class
from littlestone.data.sample import Sample
from littlestone.learn import GloballyStableLearner, IrreducibleLearner, base
from littlestone.learn.base import MOST_WORK
from littlestone.learn.papers.globally_stable import BatchSizes
from littlestone.learn.papers.voting import MOST_STEPS
from littlestone.learn.plan import choose_learner
from littlestone.learn.stream import (
    StagedOnlineLearner,
    TeacherLearner,
)
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.theory.decomposition import decompose, reducing_path

BOXES = "boxes(a 0..5, b 0..5)"


@pytest.mark.parametrize(
    ("text", "method", "epsilon", "n"),
    [
        ("thresholds(a, 0..1000000)", "staged", 1, 10),
        ("thresholds(a, 0..1000000)", "staged", 1, 600),
        ("thresholds(a, 0..1000)", "staged", 1, 10),
        (BOXES, "ggkm", "0.1", 1),
    ],
)
def test_a_class_of_too_large_trees_is_refused_before_the_spend(
    text: str, method: str, epsilon: object, n: int
) -> None:
    """Each list would be empty, or take minutes."""
    learner, _ = choose_learner(parse_class(text), method=method, budget=Budget(epsilon, "1e-6"))
    assert learner.work(n) > MOST_WORK
    x = learner.hypotheses.domain.examples(1)[0]
    sample = Sample.from_counts(learner.hypotheses.domain, {x: [0, n]})
    with Ledger() as ledger:
        with pytest.raises(TooLargeError, match="it may take"):
            learner.fit(sample, ledger=ledger, dataset="d")
        assert ledger.entries() == []


def steps_of(task: Any) -> int:
    """The least number of steps that allow the task."""
    low, high = 0, 1
    while not ends(task, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ends(task, middle) else (middle, high)
    return high


def ends(task: Any, steps: int) -> bool:
    try:
        with at_most(steps):
            task()
    except TooLargeError:
        return False
    return True


@pytest.mark.parametrize("text", ["boxes(a 0..2, b 0..2)", "thresholds(a, 0..20)"])
def test_steps_are_counted_alike_whatever_was_asked_before(text: str) -> None:
    """Or the list of one teacher would tell of the records of another."""

    def counted(warm: bool) -> list[int]:
        H = parse_class(text)
        if warm:
            decompose(H, 3)
            reducing_path(H, 4)
        V = H.restrict(H.domain.examples(2)[1], 1)
        return [
            steps_of(lambda: decompose(V, 2).hypotheses()),
            steps_of(lambda: reducing_path(V, 2)),
            steps_of(lambda: decompose(H, 3).hypotheses()),
        ]

    assert counted(True) == counted(False)
    assert counted(True)[0] > 1


def test_a_list_that_takes_too_many_steps_is_empty() -> None:
    learner = IrreducibleLearner(parse_class(BOXES), Budget("0.1", "1e-6"))
    assert learner.steps is not None
    assert learner.steps * learner.teachers <= MOST_STEPS
    nothing = Sample.from_counts(learner.hypotheses.domain, {})
    assert learner.hypotheses_of_teacher(nothing) == []
    x = learner.hypotheses.domain.examples(1)[0]
    learner.hypotheses_of_teacher(Sample.from_counts(learner.hypotheses.domain, {x: [0, 9]}))
    proved = IrreducibleLearner.with_proved_bound(
        parse_class("points(a)"), Budget(1, "1e-6"), alpha=0.1, beta=0.1
    )
    assert proved.steps is None


@pytest.mark.parametrize(
    "text", ["linear(a, b, c; q 5, dimension 2)", "polynomial_zeros(a, b; q 3, degree 2)"]
)
def test_flats_are_counted_alike_whatever_was_asked_before(text: str) -> None:
    def counted(warm: bool) -> list[int]:
        H = parse_class(text)
        if warm:
            H.soa(), H.reducing_points(2), decompose(H, 1)
        V = H.restrict(H.domain.examples(3)[2], 0)
        return [steps_of(task) for task in (H.littlestone_dimension, H.soa, V.soa)]

    assert counted(True) == counted(False)
    assert min(counted(True)) > 0


@pytest.mark.parametrize(
    ("text", "p", "d"),
    [
        ("linear(a, b, c, d; q 2305843009213693951, dimension 2)", 10**5, 10**5),
        ("boxes(a 0..15, b 0..1 step 0.5, c 0..2 step 0.5)", 3, None),
    ],
)
def test_an_answer_that_takes_too_long_is_refused_by_name(text: str, p: int, d: int | None) -> None:
    H = parse_class(text)
    with answering(), pytest.raises(TooLargeError, match="in a limited number of steps"):
        decompose(H, p, d)


def test_searches_whose_findings_are_kept_are_counted_for_answers_alone() -> None:
    with at_most(1):
        count_search(5)
    with answering(1), pytest.raises(TooLargeError):
        count_search(5)


def test_a_stream_of_too_many_teachers_is_refused_before_it_begins() -> None:
    with pytest.raises(TooLargeError, match=r"dimension of .* is 64, and at most 50"):
        StagedOnlineLearner(
            parse_class("thresholds(a, 0..18446744073709551615)"),
            Budget("0.1", "1e-6"),
            horizon=1,
        )


def test_a_batch_that_takes_too_many_steps_has_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    H = parse_class("boxes(a 0..3, b 0..3)")
    learner = GloballyStableLearner(H, Budget(1, "1e-6"))
    sizes = BatchSizes(block=2, caps=(0,), batches=3, fresh=1)
    batch = [((0, 0), 0), ((1, 1), 1)]
    assert learner.rule(batch, 0, sizes, random.Random(0)) is not None
    monkeypatch.setattr("littlestone.learn.papers.globally_stable.MOST_STEPS", 3)
    assert learner.rule(batch, 0, sizes, random.Random(0)) is None


HARD = "juntas(a, b, c, d, e; k 4)"


@pytest.mark.deep
def test_a_class_whose_dimension_takes_too_long_is_refused_by_name() -> None:
    """The search among 325,262 functions has no end in sight."""
    H = parse_class(HARD)
    for _ in range(2):  # the second refusal does not search again
        with pytest.raises(TooLargeError, match="more than 200,000 steps"):
            H.littlestone_dimension()
    with pytest.raises(TooLargeError, match="find the Littlestone dimension"):
        IrreducibleLearner(H, Budget(1, "1e-6"))
    assert parse_class("juntas(a, b, c, d, e; k 2)").littlestone_dimension() == 6


def test_no_fit_or_stream_begins_before_the_rule_of_the_class_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If nothing is drawn, it is released; its search must not begin after the spend."""
    monkeypatch.setattr(base, "MOST_SEARCHED", 0)
    H = parse_class("boxes(a 0..3, b 0..3)")
    budget, x = Budget(1, "1e-6"), H.domain.examples(1)[0]
    sample = Sample.from_counts(H.domain, {x: [0, 10]})
    with Ledger() as ledger:
        for learner in (IrreducibleLearner(H, budget), GloballyStableLearner(H, budget)):
            with pytest.raises(TooLargeError, match="it may take"):
                learner.fit(sample, ledger=ledger, dataset="d")
        with pytest.raises(TooLargeError, match="that learning begins with"):
            TeacherLearner(H, budget, horizon=10).start(ledger=ledger, dataset="d")
        assert ledger.entries() == []


def test_a_list_from_intervals_counts_their_gaps() -> None:
    """A version space of ten thousand gaps takes as long as thousands of others."""
    V = parse_class("intervals(id, 0..1000000)")
    for x in range(0, 100_000, 100):
        V = V.restrict(x, 0)
    assert steps_of(lambda: V.restrict(7, 0)) >= 400
