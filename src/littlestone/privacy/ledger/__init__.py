"""The ledger: a durable record of what every data set has spent, written before every draw."""

from littlestone.privacy.ledger.address import conninfo, is_address, shown_address
from littlestone.privacy.ledger.counts import Count
from littlestone.privacy.ledger.ledger import Ledger, Preview
from littlestone.privacy.ledger.parts import Part
from littlestone.privacy.ledger.receipt import Entry, Receipt
from littlestone.privacy.ledger.rows import UnsoundRowError

__all__ = [
    "Count",
    "Entry",
    "Ledger",
    "Part",
    "Preview",
    "Receipt",
    "UnsoundRowError",
    "conninfo",
    "is_address",
    "shown_address",
]
