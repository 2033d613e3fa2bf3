"""What is logged: declarations, before the spend; never a record."""

from __future__ import annotations

import logging
from typing import Any

import pandas as pd
import pytest

import littlestone
from littlestone.privacy.ledger import Ledger

DECLARED: dict[str, Any] = {
    "hypotheses": "thresholds(x, 0..9)",
    "epsilon": 1,
    "positive": 1,
    "dataset": "visits",
}


def fitted(table: pd.DataFrame, ledger: Ledger) -> None:
    littlestone.fit(table, "y", ledger=ledger, **DECLARED)


def test_the_log_is_of_declarations(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    fitted(pd.DataFrame({"x": range(10), "y": [0, 1] * 5}), Ledger())
    first = [(record.name, record.getMessage()) for record in caplog.records]
    assert [name for name, _ in first] == [
        "littlestone.learn.declared.task",
        "littlestone.privacy.ledger.ledger",
    ]
    assert "by the method exponential" in first[0][1]
    assert "spend epsilon 1, delta 0 (replace-one) on data set 'visits'" in first[1][1]
    caplog.clear()
    fitted(pd.DataFrame({"x": [7] * 10, "y": [1] * 10}), Ledger())
    assert [(record.name, record.getMessage()) for record in caplog.records] == first


def test_a_log_that_fails_spends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(record: logging.LogRecord) -> bool:
        raise OSError("no space left")

    logger = logging.getLogger("littlestone.privacy.ledger.ledger")
    monkeypatch.setattr(logger, "level", logging.INFO)
    logger.addFilter(full)
    ledger = Ledger()
    try:
        with pytest.raises(OSError, match="no space"):
            fitted(pd.DataFrame({"x": range(10), "y": [0, 1] * 5}), ledger)
    finally:
        logger.removeFilter(full)
    assert ledger.history() == []
