"""Keys are drawn part by part, each as if it were alone; nothing is read before it is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from exact_draws import Draws, apart
from littlestone.base.errors import LedgerError
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mechanisms import bucket_labels, label_selection
from littlestone.privacy.mechanisms.bucket_labels import BucketLabels
from littlestone.privacy.mechanisms.label_selection import LabelSelection
from littlestone.privacy.mechanisms.partition_selection import (
    PartitionSelection,
    RestSelection,
    SingleKeySelection,
)
from planting import Fault, turns_red

BUDGET = Budget(3, Fraction(1, 20))
MECHANISMS = "littlestone.privacy.mechanisms"


def draw(mechanism: Any, data: Any, rng: Any) -> Any:
    return mechanism.draw(data, receipt=SimpleNamespace(redeem=lambda _: rng))


def follows_its_law(mechanism: Any, module: Any, data: Any) -> None:
    """In parts of a key or two, some without a record."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", 1)
        law, left = Draws().law(partial(draw, mechanism, data))
    assert apart(law, mechanism.distribution(data)) <= left + Fraction(1, 1 << 100)


def test_keys_in_several_parts_are_drawn_independently() -> None:
    records = [("a", 1)] * 2 + [("a", 2)] * 3 + [("b", 1)] * 2 + [("c", 0)] * 2 + [("c", 3)]
    follows_its_law(LabelSelection[str](BUDGET), label_selection, records)


def test_buckets_in_several_parts_are_drawn_independently() -> None:
    mechanism = BucketLabels(Fraction(1), buckets=4, labels=2)
    follows_its_law(mechanism, bucket_labels, [(1, 0), (1, 0), (1, 1), (2, 1)])


class Untouchable(Mapping[Any, Any]):
    """Records or counts that nobody may look at."""

    def _fail(self, *given: object) -> Any:
        pytest.fail("it is read before it is paid for")

    __getitem__ = __len__ = _fail

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fail())


KINDS: list[tuple[Any, str]] = [
    (PartitionSelection[str](BUDGET), "draw_scores"),
    (RestSelection[str](BUDGET), "draw_scores"),
    (SingleKeySelection[str](BUDGET), "draw_scores"),
    (BucketLabels(Fraction(1), 2, 2), "draw_counts"),
    (LabelSelection[str](BUDGET), "draw_counts"),
]


def nothing_is_read_unpaid(mechanism: Any, counted: str) -> None:
    other, unread = BucketLabels(Fraction(1, 2), 1, 2), Untouchable()
    with Ledger() as ledger:
        receipt = ledger.spend(other, dataset="d", what="another draw")
        rows = (unread, unread) if mechanism is KINDS[-1][0] else (unread,)
        for ask in (mechanism.draw, partial(getattr(mechanism, counted), *rows[1:])):
            with pytest.raises(LedgerError):
                ask(unread, receipt=receipt)


@pytest.mark.parametrize(("mechanism", "counted"), KINDS)
def test_nothing_is_read_before_it_is_paid(mechanism: Any, counted: str) -> None:
    nothing_is_read_unpaid(mechanism, counted)


FAULTS: list[tuple[Fault, Callable[[], None]]] = [
    (
        Fault(
            f"{MECHANISMS}.label_selection:LabelSelection._winners",
            "which, rng)",
            "which, random.Random(1) if first else rng)",
            "the keys after the first part are drawn by a seed",
        ),
        test_keys_in_several_parts_are_drawn_independently,
    ),
    (
        Fault(
            f"{MECHANISMS}.label_selection:LabelSelection._winners",
            "start + winners",
            "winners",
            "a later part has the labels of the first",
        ),
        test_keys_in_several_parts_are_drawn_independently,
    ),
    (
        Fault(
            f"{MECHANISMS}.bucket_labels:BucketLabels._release",
            "which.ravel(), rng)",
            "which.ravel(), random.Random(1) if first else rng)",
            "the buckets after the first part are drawn by a seed",
        ),
        test_buckets_in_several_parts_are_drawn_independently,
    ),
    (
        Fault(
            f"{MECHANISMS}.partition_selection:KeyRelease.draw_scores",
            "rng = receipt.redeem(self)\n    return self._release(scores, rng)",
            "found = self._release(scores, random.SystemRandom())\n    receipt.redeem(self)\n"
            "    return found",
            "scores are drawn before they are paid for",
        ),
        partial(nothing_is_read_unpaid, *KINDS[0]),
    ),
    (
        Fault(
            f"{MECHANISMS}.label_selection:LabelSelection.draw_counts",
            "rng = receipt.redeem(self)\n    rows, labels = np.nonzero(counts)",
            "rows, labels = np.nonzero(list(counts))\n    rng = receipt.redeem(self)",
            "counts of labels are read before they are paid for",
        ),
        partial(nothing_is_read_unpaid, *KINDS[-1]),
    ),
]


@pytest.mark.parametrize(("fault", "test"), FAULTS, ids=lambda own: getattr(own, "mistake", ""))
def test_each_fault_of_a_part_is_seen(
    fault: Fault, test: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_red(fault, test, monkeypatch)
