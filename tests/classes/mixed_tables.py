"""Random samples of mixed tables, and what a hypothesis makes of them, for tests."""

from __future__ import annotations

import random
from typing import Any

from littlestone.data.sample import Sample

Examples = list[tuple[Any, int]]


def random_examples(H: Any, rng: random.Random, n: int = 40) -> Examples:
    """Records of a class's domain with random labels, some of them several times."""
    columns = [list(column.examples(5)) for column in H.domain.columns]
    return [
        (tuple(rng.choice(column) for column in columns), rng.randrange(H.labels)) for _ in range(n)
    ]


def sample_of(H: Any, examples: Examples) -> Sample[Any]:
    return Sample.from_examples(H.domain, examples, labels=H.labels)


def errors_of(h: Any, examples: Examples) -> int:
    return sum(h(x) != y for x, y in examples)
