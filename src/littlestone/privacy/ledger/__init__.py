"""The ledger: a durable record of what every data set has spent, written before every draw."""

from littlestone.privacy.ledger.ledger import Ledger
from littlestone.privacy.ledger.receipt import Entry, Receipt

__all__ = ["Entry", "Ledger", "Receipt"]
