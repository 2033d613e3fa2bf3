"""Several draws as one event: in turn, in parallel, and noisy sums that a draw chooses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget, PrivacyCost, decimal_text
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.mechanisms.noisy_sums import DrawThenSums, SumStep
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real, bernoulli
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.audit.claims import neighbours
from littlestone.prove.audit.subject import Subject, mechanism_subject, runs_on_receipt, subject
from littlestone.prove.audit.subjects.noisy_counts import ask_of, clip

Bits = tuple[int, ...]
Records = tuple[tuple[int, int], ...]
Masses = dict[Hashable, Fraction]


@subject("composed-responses")
def composed_responses(epsilon: Fraction, delta: Fraction) -> Subject[int]:
    """One bit told four times; spends a delta if it is given one."""
    response, times = RandomizedResponse(epsilon / 4), 4

    def law_of_responses(bit: int) -> Masses:
        told = response.distribution(bit)
        return {
            bits: prod(map(told.__getitem__, bits), start=Fraction(1))
            for bits in product((0, 1), repeat=times)
        }

    event = Composition([(response, times)], delta)

    def respond(receipt: Receipt, bit: int) -> Hashable:
        return tuple(response.draw(bit, receipt=receipt) for _ in range(times))

    runs = runs_on_receipt(event, respond)
    return Subject(event, law_of_responses, ((0, 1),), runs, (0, 1))


@subject("composed-draws", id="Lyu25 section 3.4, concurrent composition")
def composed_draws(epsilon: Fraction, delta: Fraction) -> Subject[Records]:
    """Two draws by error counts, the second about what the first returned; needs no delta.

    code: privacy.accounting.composed.Composition
    proof: proofs/composition.md#theorem-5-interleaved-interactive-events
    """
    mechanism = ExponentialMechanism(epsilon / 2)
    event = Composition([(mechanism, 2)], delta)

    def first(records: Records) -> ErrorRuns:
        """The coordinate that is 1 more often: its zeros are its errors."""
        return ErrorRuns(np.array([sum(1 - record[i] for record in records) for i in (0, 1)]))

    def second(records: Records, chosen: int) -> ErrorRuns:
        """Whether that coordinate is mostly 0 or 1."""
        ones = sum(record[chosen] for record in records)
        return ErrorRuns(np.array([ones, len(records) - ones]))

    def law_of_draws(records: Records) -> Masses:
        # The second draw is asked about what the first returned: an adaptive composition.
        return {
            (i, j): p * q
            for i, p in mechanism.distribution(first(records)).items()
            for j, q in mechanism.distribution(second(records, i)).items()
        }

    def draw_both(receipt: Receipt, records: Records) -> Hashable:
        chosen = mechanism.draw(first(records), receipt=receipt)
        return chosen, mechanism.draw(second(records, chosen), receipt=receipt)

    kinds: Records = ((0, 0), (0, 1), (1, 0), (1, 1))
    many = kinds * 25
    pairs = tuple(neighbours(kinds, 3, ordered=False))
    large = ((0, 1), *many), ((1, 0), *many)
    return Subject(event, law_of_draws, pairs, runs_on_receipt(event, draw_both), large)


@subject("parallel-responses")
def parallel_responses(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """Three parts by position, one record each, asked at different epsilons; spends no delta."""
    responses = [RandomizedResponse(epsilon / k) for k in (1, 2, 3)]
    event = Parallel(responses)

    def law_of_responses(bits: Bits) -> Masses:
        laws = [r.distribution(bit) for r, bit in zip(responses, bits, strict=True)]
        return {
            told: prod((law[said] for law, said in zip(laws, told, strict=True)), start=Fraction(1))
            for told in product((0, 1), repeat=3)
        }

    def respond(receipt: Receipt, bits: Bits) -> Hashable:
        return tuple(
            response.draw(bit, receipt=receipt)
            for response, bit in zip(responses, bits, strict=True)
        )

    pairs, runs = tuple(neighbours((0, 1), 3)), runs_on_receipt(event, respond)
    return Subject(event, law_of_responses, pairs, runs, ((0, 0, 0), (1, 0, 0)))


@dataclass(frozen=True)
class RandomizedResponse(Mechanism[int, int]):
    """The bit itself with probability r / (r + 1), r a rational <= e^epsilon; otherwise the other bit.

    epsilon-DP under replacement, and no less (War65).

    >>> round(float(RandomizedResponse(Fraction(1)).distribution(0)[0]), 3)
    0.731
    """

    epsilon: Fraction

    @cached_property
    def truth(self) -> Fraction:
        """The probability of the bit itself."""
        r = exp_below(self.epsilon)
        return r / (r + 1)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def draw(self, data: int, *, receipt: Receipt) -> int:
        rng = receipt.redeem(self)
        return data if bernoulli(Real.of(self.truth), rng) else 1 - data

    def distribution(self, data: int) -> Mapping[int, Fraction]:
        return {data: self.truth, 1 - data: 1 - self.truth}

    def __str__(self) -> str:
        return f"randomized response, epsilon {decimal_text(self.epsilon)}"


@subject("randomized-response")
def randomized_response(epsilon: Fraction, delta: Fraction) -> Subject[int]:
    """One bit, told with a lie of known probability; spends no delta."""
    return mechanism_subject(RandomizedResponse(epsilon), pairs=[(0, 1)], large=(0, 1))


STEP = SumStep(count=1, l1=2, squared=4, share=Fraction(1))
ITEMS = (1, 3)
"""How many items err on 1s and how many on 0s, so that one kind is rarer."""
MOST = 8


def errors_of(data: Bits) -> ErrorRuns:
    """The 1s are errors of the first items, and the 0s of the others."""
    ones = sum(data)
    return ErrorRuns(np.array([ones, len(data) - ones]), np.array(ITEMS))


def asked_records(data: Bits, item: int) -> Bits:
    """What the sums are about: the records, or their opposites after an item of the second kind."""
    return data if item < ITEMS[0] else tuple(1 - bit for bit in data)


def drawn_subject(event: DrawThenSums) -> Subject[Bits]:
    """The event on two records, each 0 or 1, with sums told apart up to `MOST`."""

    def law(data: Bits) -> Mapping[Hashable, Fraction]:
        found = dict[Hashable, Fraction]()
        for item, mass in event.mechanism.distribution(errors_of(data)).items():
            after = event.sums.distribution(ask_of(asked_records(data, item)), MOST)
            found |= {(item, released): mass * own for released, own in after.items()}
        return found

    def draw_both(receipt: Receipt, data: Bits) -> Hashable:
        item = event.mechanism.draw(errors_of(data), receipt=receipt)
        released = event.sums.draw(ask_of(asked_records(data, item)), receipt=receipt)
        return item, clip(MOST, data, released)

    large = (1,) * 500 + (0,) * 500
    pairs = tuple(neighbours((0, 1), 2, ordered=False))
    runs = runs_on_receipt(event, draw_both)
    return Subject(event, law, pairs, runs, (large, (0, *large[1:])))


@subject("drawn-sums")
def drawn_sums(epsilon: Fraction, delta: Fraction) -> Subject[Bits]:
    """One draw by error counts, and a noisy sum that it chooses; Gaussian noise if there is a delta."""
    mechanism = ExponentialMechanism(epsilon / 2)
    return drawn_subject(DrawThenSums(Budget(epsilon, delta), mechanism, (STEP,)))
