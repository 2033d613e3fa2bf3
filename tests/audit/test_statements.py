"""The rows of `littlestone verify` about mechanisms."""

import pytest

from littlestone.verify import mechanisms
from littlestone.verify.statement import Statement

ROWS = [row for row in vars(mechanisms).values() if isinstance(row, Statement)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))
def test_every_statement_holds(row: Statement) -> None:
    assert row().holds
