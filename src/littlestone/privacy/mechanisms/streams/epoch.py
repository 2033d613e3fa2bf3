"""The common part of continual mechanisms: skipped records, and the step of the next hit."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.samplers.geometric import geometric
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape


@dataclass(frozen=True)
class Epoch:
    """The secret state since the last hit: ``count`` records so far, of which ``skips`` do not matter.

    The next hit is at step ``due``, unless a record is counted before; after the horizon means never.
    """

    skips: int
    count: int
    due: int


def draw_skips(skip: Fraction, tape: Tape) -> int:
    """Draw Z with Pr[Z >= z] = skip^z."""
    return tape.whole(lambda rng: geometric(Real.of(skip), rng))


def next_hit(quiet: Real, step: int, horizon: int, tape: Tape) -> int:
    """The first hit of independent tests at ``step``, ..., ``horizon``, or horizon + 1 for none.

    Each test is quiet with the same probability, so the wait is geometric.  If a record is counted
    before, the wait may be drawn anew with other chances, because it has no memory.

    >>> import random
    >>> tape = Tape(random.Random(0))
    >>> next_hit(Real.of(Fraction(0)), 3, 9, tape), next_hit(Real.of(Fraction(1)), 3, 9, tape)
    (3, 10)
    """
    # Cut at the horizon: no later step is tested, and a wait of any length would be kept in the
    # file.
    last = horizon + 1
    return tape.whole(lambda rng: step + geometric(quiet, rng, most=last - step), step, last)


def next_changing_hit(
    pieces: Iterable[tuple[Real, int]], step: int, horizon: int, tape: Tape
) -> int:
    """`next_hit` of tests whose chance changes at known steps.

    Each piece is the probability of no hit, with the last step that has it; together they reach the
    horizon, and the first one holds ``step``.
    """

    def drawn(rng: random.Random) -> int:
        at = step
        for quiet, last in pieces:
            if at > horizon:
                break
            end = min(last, horizon) + 1
            at += geometric(quiet, rng, most=end - at)
            # A hit within the piece; otherwise the wait goes on in the next one, with its own
            # chance.
            if at < end:
                break
        return at

    return tape.whole(drawn, step, horizon + 1)
