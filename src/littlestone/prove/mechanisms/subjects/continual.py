"""Continual mechanisms: selections and threshold tests of a stream, over all of its steps."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.streams.continual_key_selection import ContinualKeySelection
from littlestone.privacy.mechanisms.streams.continual_selection import ContinualSelection
from littlestone.privacy.mechanisms.thresholds.one_sided_threshold import OneSidedThreshold
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Keys = tuple[str | None, ...]
Named = tuple[tuple[str, ...], ...]
Counted = tuple[bool, ...]

HORIZON = 20
NAMED: Named = ((), ("a",), ("b",), ("a", "b"))


def quiet(record: str) -> tuple[Keys, Keys]:
    """Two streams: one record names a key, at the first step, or no record does."""
    rest = (None,) * (HORIZON - 1)
    return (record, *rest), (None, *rest)


@subject(
    "continual-key-selection",
    id="Streams",
    code="privacy.mechanisms.streams.continual_key_selection.ContinualKeySelection",
    proof="proofs/continual-key-selection.md#theorem-1-privacy",
    epsilon=5,
)
def continual_key_selection(epsilon: Fraction, delta: Fraction) -> Subject[Keys]:
    """Keys of a stream, each selected soon after it is named often; needs a delta."""
    mechanism = ContinualKeySelection[str].within(Budget(epsilon, delta), horizon=HORIZON)
    busy: Keys = ("a",) * 5
    return mechanism_subject(
        mechanism,
        pairs=[*neighbours((None, "a", "b"), 3), quiet("a"), ((*busy, "a"), (*busy, "b"))],
        large=(("a",) * HORIZON, (None, *("a",) * (HORIZON - 1))),
        read=lambda stream: stream,
    )


def selection(epsilon: Fraction, delta: Fraction, *, shared: bool) -> Subject[Named]:
    """Two candidates a record, over streams of 3 steps, and one that is named once."""
    mechanism = ContinualSelection[str](
        budget=Budget(epsilon, delta), horizon=HORIZON, growth=2, shared=shared
    )
    one, other = ((tuple(filter(None, [x])) for x in stream) for stream in quiet("a"))
    busy: Named = (("a",),) * 5
    return mechanism_subject(
        mechanism,
        pairs=[*few(NAMED), (tuple(one), tuple(other)), ((*busy, ("a",)), (*busy, ("b",)))],
        large=((("a",),) * HORIZON, ((), *(("a",),) * (HORIZON - 1))),
        read=lambda stream: stream,
    )


def few(records: Named) -> Iterable[tuple[Named, Named]]:
    """All neighbouring streams of two steps, and those of three that differ in the first."""
    yield from neighbours(records, 2)
    for one, other in neighbours(records, 1):
        for rest in (records[1], records[3]):
            yield (*one, rest, rest), (*other, rest, rest)


@subject(
    "continual-selection-own",
    id="Streams",
    code="privacy.mechanisms.streams.continual_selection.ContinualSelection",
    proof="proofs/continual-selection.md#theorem-1-privacy",
    epsilon=5,
)
def own(epsilon: Fraction, delta: Fraction) -> Subject[Named]:
    """Candidates of a stream, one after another, with skips of their own; needs a delta."""
    return selection(epsilon, delta, shared=False)


@subject(
    "continual-selection-shared",
    id="Streams",
    code="privacy.mechanisms.streams.continual_selection.ContinualSelection",
    proof="proofs/continual-selection.md#theorem-1-privacy",
    epsilon=5,
)
def shared(epsilon: Fraction, delta: Fraction) -> Subject[Named]:
    """Candidates of a stream, one after another, with shared skips; needs a delta."""
    return selection(epsilon, delta, shared=True)


@subject(
    "one-sided-threshold",
    id="Streams",
    code="privacy.mechanisms.thresholds.one_sided_threshold.OneSidedThreshold",
    proof="proofs/online-teachers.md#theorem-1-the-counter",
    drawn_at=3,
    steps=1,
)
def one_sided_threshold(epsilon: Fraction, delta: Fraction) -> Subject[Counted]:
    """Noisy counts of a stream with noise on one side, over all epochs; spends no delta."""
    still = (False,) * 9
    return mechanism_subject(
        OneSidedThreshold(epsilon=epsilon, threshold=1, horizon=HORIZON),
        pairs=neighbours((False, True), 3),
        large=((True, *still), (False, *still)),
        read=lambda stream: stream,
    )
