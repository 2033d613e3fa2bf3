"""Our learners as measurements of OpenDP, which compose with its own.

The library is imported when a measurement is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

from littlestone.data.sample import Sample
from littlestone.learn.base import PrivateLearner
from littlestone.privacy.accounting.groups import of_group
from littlestone.privacy.ledger import Ledger


def as_measurement(
    learner: PrivateLearner[Any], *, ledger: Ledger, dataset: str, label: str = "label is 1"
) -> Any:
    """The learner as an OpenDP measurement from labelled records to a `Release`.

    Its input is a list of (point, label), as `Sample.from_examples` takes it.  Two lists of equal
    length are as far apart as the number of places in which they differ (``change_one_distance``), so
    one record replaced is distance 1, and the length is public.  The map is `privacy_map`.  The measure
    is ``max_divergence``, or ``approximate(max_divergence())`` if the learner has a delta.

    Each call spends from ``ledger`` before it draws, as `PrivateLearner.fit` does, and raises what that
    raises.  It draws with the system's generator.  OpenDP cannot check the map, so this enables its
    features ``contrib`` and ``honest-but-curious``.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    H, pure = learner.hypotheses, learner.cost().delta == 0

    def release(records: Iterable[tuple[Any, Any]]) -> Any:
        sample = Sample.from_examples(H.domain, records)
        return learner.fit(sample, ledger=ledger, dataset=dataset, label=label)

    measure = dp.max_divergence() if pure else dp.approximate(dp.max_divergence())
    domain = dp.user_domain(f"labelled records over {H.domain}", lambda _: True)
    return dp.m.make_user_measurement(
        domain,
        dp.change_one_distance(),
        measure,
        function=release,
        privacy_map=partial(privacy_map, learner),
    )


def privacy_map(learner: PrivateLearner[Any], distance: int) -> float | tuple[float, float]:
    """What the learner costs for that many replaced records, rounded up: an epsilon, or with a delta.

    For k records it is k epsilon, and delta (1 + e^epsilon + ... + e^((k - 1) epsilon)), at most 1
    (docs/proofs/units.md, Theorem 2).  Without a delta the result is the epsilon alone.

    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learn import ExponentialLearner
    >>> from littlestone.privacy import Budget
    >>> learner = ExponentialLearner(Thresholds.on(0, 9), Budget("0.5"))
    >>> [privacy_map(learner, distance) for distance in (0, 1, 3)]
    [0.0, 0.5, 1.5]
    """
    cost = learner.cost()
    if distance == 0:
        return (0.0, 0.0) if cost.delta else 0.0
    found = of_group(cost, distance)
    epsilon = _above(found.epsilon)
    return (epsilon, min(1.0, _above(found.delta))) if cost.delta else epsilon


def _above(number: Any) -> float:
    """The least float that is not below an exact number."""
    found = float(number)
    return found if found >= number else math.nextafter(found, math.inf)
