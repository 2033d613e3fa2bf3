"""Faults to plant under the rows of `littlestone verify`, one file for each of its modules.

A file has ``FAULTS``, which turn a row red: each is a fault in the code that the row speaks of.
``NOT_YET`` names its rows without such a fault.
"""

from __future__ import annotations

from planting import Fault

STEEP = Fault(
    "littlestone.privacy.rational:exp_below",
    "x = min(x,",
    "x = min(x * (8 if bits == 32 else 1),",
    "draws have e^(8 x) where e^x is paid for",
)
"""No row's own: it makes all draws too sure."""
