"""Rules, trees and lists over mixed tables, and whose records a guarantee protects."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.classes.base import ErrorSums
from littlestone.sample import Sample
from littlestone.verify.mechanisms import audited
from littlestone.verify.statement import Outcome, statement

conditions = audited("Mixed tables: one draw of a rule is private", "conditions-learner")
open_conditions = audited("Mixed tables: a rule with open columns", "open-conditions-learner")
trees = audited("Mixed tables: one draw of a whole tree is private", "trees-learner")
rounds = audited("Mixed tables: rules drawn one after another", "rule-list-learner")
regrown = audited("Mixed tables: leaves that are split again share a budget", "regrown-learner")
vocabulary = audited("Mixed tables: a vocabulary, then a rule over it", "vocabulary-learner")
units = audited("Mixed tables: all records of a unit are protected at once", "unit-learner")
estimates = audited("Mixed tables: a group with its rate and size", "group-estimates")

CLASSES = [
    f"{kind}(age: 0..20 step 10, sex in {{F, M}}; {options})"
    for kind, options in [
        ("conditions", "at most 2, either"),
        ("conditions", "at most 2, between"),
        ("trees", "depth 1"),
        ("trees", "depth 2"),
    ]
]


@statement("Mixed tables: counts of pairs of columns give the errors of every rule and tree")
def counted() -> Outcome:
    """The scores of all written hypotheses beside the errors of each of them, one by one."""
    rng, checked, wrong = random.Random(5), 0, 0
    for text in CLASSES:
        H: Any = parse_class(text)
        points = list(H.domain)
        examples = [(rng.choice(points), rng.randrange(2)) for _ in range(20)]
        sample = Sample.from_examples(H.domain, examples)
        for item, score in _items(H.scores(sample)):
            h = H.written(item)
            checked += 1
            wrong += score != sum(h(x) != y for x, y in examples)
    return Outcome("each score is a number of errors", f"{wrong} of {checked:,} differ", wrong == 0)


def _items(scores: Any) -> Iterator[tuple[Any, int]]:
    if isinstance(scores, ErrorSums):
        for g, parts in enumerate(scores.groups):
            for item in product(*(range(len(part)) for part in parts)):
                yield (g, *item), sum(int(part[i]) for part, i in zip(parts, item, strict=True))
    else:
        yield from enumerate(scores.errors.tolist())
