"""Faults that let a record be seen, each in the code itself: the doors notice every one of them."""

from __future__ import annotations

from dataclasses import dataclass

import private_tables as tables
import pytest
from doors import Door, pandas_texts
from every import (
    DELTA_NEAR,
    RULES,
    THRESHOLDS,
    TREES,
    UNIT,
    fit,
    functions,
    shells,
    streams,
)  # fmt: skip
from private_tables import Records
from test_silence import leaks

from planting import Fault

pytestmark = pytest.mark.deep

PEOPLE = fit("fit of units", TREES, *UNIT, "2")
PEOPLE_IN_A_FRAME = next(door for door in functions(pandas_texts) if "two of a unit" in door.name)
RECORDS = fit("fit", THRESHOLDS, "--out", "model.json")


@dataclass(frozen=True)
class Leak:
    """A fault, the door through which it shows, two tables that it tells apart, and what tells them."""

    fault: Fault
    field: str
    other: Records
    door: Door = RECORDS
    first: Records = tables.plain


def of_people(
    fault: Fault, field: str, door: Door = PEOPLE, other: Records = tables.one_place_void
) -> Leak:
    return Leak(fault, field, other, door, tables.two_each)


LEAKS = [
    of_people(
        Fault(
            "littlestone.learn.declared.task:Task.fit",
            "self.for_records(sample.n)",
            "self.for_records(sample.records().n)",
            "The learner is chosen by the private number of records.",
        ),
        "ended",
        PEOPLE_IN_A_FRAME,
    ),
    of_people(
        Fault(
            "littlestone.cli.fit:release_task",
            "task.for_records(sample.n)",
            "task.for_records(sample.records().n)",
            "The command chooses the learner by the private number of records.",
        ),
        "out",
    ),
    of_people(
        Fault(
            "littlestone.learn.declared.task:Task.fit",
            "self.promise(learner, sample.n)",
            "self.promise(learner, sum(sample.counts[:, 0].tolist()))",
            "What is promised is what holds for the private number of records.",
        ),
        "out",
        fit("one of each", THRESHOLDS, *UNIT, "1"),
        tables.people_positive,
    ),
    of_people(
        Fault(
            "littlestone.learn.declared.task:Task.read_noted",
            "n=sample.n)",
            "n=sample.records().n)",
            "The ledger notes the private number of records.",
        ),
        "files",
    ),
    of_people(
        Fault(
            "littlestone.learn.declared.task:Task.read_noted",
            "self.hints(sample.n)",
            "self.hints(sample.records().n)",
            "A hint compares delta with the private number of records.",
        ),
        "err",
        fit("near", RULES, *UNIT, "2", "--delta", DELTA_NEAR),
        tables.one_each,
    ),
    of_people(
        Fault(
            "littlestone.learn.base:PrivateLearner.fit",
            "self.require_affordable(sample.n)",
            "self.require_affordable(sample.records().n * (MOST_COSTS // (sample.n - 1)))",
            "The private number of records decides whether it is too much work.",
        ),
        "ended",
        PEOPLE_IN_A_FRAME,
    ),
    of_people(
        Fault(
            "littlestone.learn.base:PrivateLearner.fit",
            "\n        n=sample.n,",
            "\n        n=sample.records().n,",
            "The release tells the private number of records.",
        ),
        "out",
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "records = sample.records()\n",
            "records = sample.records()\n"
            "    if not sample.counts[:, 1].any():\n"
            "        raise ValueError('there is one label only')\n",
            "A sample without a positive label is refused.",
        ),
        "ended",
        tables.all_negative,
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "records = sample.records()\n",
            "records = sample.records()\n"
            "    if len(sample.points) == 1:\n"
            "        import warnings; warnings.warn('all records are alike')\n",
            "A warning says that all records are alike.",
        ),
        "warned",
        tables.all_equal,
        functions(pandas_texts)[0],
    ),
    Leak(
        Fault(
            "littlestone.learn.declared.task:Task.fit",
            'by the method %s", what, H, learner.method',
            'by the method %s from %s points", what, H, learner.method, len(sample.points)',
            "The log tells the number of distinct points.",
        ),
        "logged",
        tables.all_equal,
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "records = sample.records()\n",
            "records = sample.records()\n"
            "    if sample.counts[:, 1].sum() > 0:\n"
            "        import wave\n",
            "A module is loaded once a label is positive.",
        ),
        "modules",
        tables.all_negative,
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "shares = sample.unread is not None",
            "shares = any(sample.unread or ())",
            "Shares are bought only if a cell or a label is unread.",
        ),
        "files",
        tables.outside,
        fit("fit, estimates", TREES, "--out", "model.json", "--estimate", "0.5"),
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "event = self.event_with(estimate, sample.unit, shares=shares, risk=risk)",
            "event = self.event_with(estimate, sample.unit, shares=shares, risk=risk)\n"
            '    what += f", such as {sample.points[0]}"',
            "The ledger's entry quotes a record.",
        ),
        "files",
        tables.all_equal,
    ),
    Leak(
        Fault(
            "littlestone.learn.exponential:ExponentialLearner.draw",
            "scores = ",
            "print(end='-' * (len(sample.points) > 300)); scores = ",
            "A mark is printed where more than 300 points are scored.",
        ),
        "out",
        tables.all_different,
        fit("points", "thresholds(x, 0..9; step 0.01)"),
    ),
    Leak(
        Fault(
            "littlestone.data.csv_lines:code_blocks",
            "if records <= _RECORDS:",
            "if len(block) < _FEW:",
            "Arrow is loaded for large records alone.",
        ),
        "modules",
        tables.huge,
    ),
    Leak(
        Fault(
            "littlestone.data.coding:from_arrow",
            "np.from_dlpack(whole)",
            "whole.to_numpy()",
            "Arrow imports pandas for records that it makes numbers of.",
        ),
        "modules",
        tables.huge,
    ),
    Leak(
        Fault(
            "littlestone.points.base:_without_surrogates",
            "pairs, _ = _UTF_16",
            "import wave; pairs, _ = _UTF_16",
            "Something is loaded for a text with half of a surrogate pair.",
        ),
        "modules",
        tables.hostile,
        functions(pandas_texts)[0],
    ),
    Leak(
        Fault(
            "littlestone.data.reading:read_sample",
            "[not refuse_blank, not refuse_blank]",
            "[False, False]",
            "A column without a readable value is refused.",
        ),
        "ended",
        tables.all_missing,
    ),
    Leak(
        Fault(
            "littlestone.cli.following:Following.take",
            "new, taken = self._run.take",
            "if not any(y for _, y in records):\n"
            "        self._tell('no record is positive')\n"
            "    new, taken = self._run.take",
            "A stream tells that no record is positive.",
        ),
        "err",
        tables.all_negative,
        next(streams()),
    ),
    Leak(
        Fault(
            "littlestone.interop.scikit_learn:LittlestoneClassifier.fit",
            "self.release_ = release",
            "self.release_ = release\n    if len(sample.points) < 5:\n        self.few_ = True",
            "A shell has an attribute only where there are few points.",
        ),
        "ended",
        tables.all_different,
        next(shells()),
    ),
    Leak(
        Fault(
            "littlestone.privacy.draws:Draw.pay_and_draw",
            "hypothesis = self.draw(records, receipt=receipt)\n",
            "hypothesis = self.draw(records, receipt=receipt)\n"
            "    if records.counts[:, 1].sum() < 3:\n"
            "        hypothesis = self.draw(records, receipt=receipt)\n",
            "Where few labels are positive, a second rule is drawn.",
        ),
        "ended",
        tables.one_positive,
    ),
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.fault.mistake)
def test_every_leak_is_seen(leak: Leak) -> None:
    pair = [leak.first, leak.other]
    assert leaks(leak.door, pair) == {}
    found = leaks(leak.door, pair, leak.fault)
    assert leak.field in found[leak.other.__name__]
