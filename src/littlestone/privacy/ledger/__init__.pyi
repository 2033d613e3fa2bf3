from littlestone.base.addresses import (
    conninfo as conninfo,
    is_address as is_address,
    show_address as show_address,
)
from littlestone.privacy.ledger.counts import Count as Count
from littlestone.privacy.ledger.ledger import BaseLedger as BaseLedger, Preview as Preview
from littlestone.privacy.ledger.opened import Ledger as Ledger
from littlestone.privacy.ledger.counts import Part as Part
from littlestone.privacy.ledger.receipt import Entry as Entry, Receipt as Receipt
from littlestone.privacy.ledger.rows import UnsoundRowError as UnsoundRowError
