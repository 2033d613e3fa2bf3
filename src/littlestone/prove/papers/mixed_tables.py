"""The scores of rules and trees over mixed tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from littlestone.classes import parse_class
from littlestone.data.sample import Sample
from littlestone.privacy.scores import ErrorSums
from littlestone.prove.papers.statement import Outcome, Trial, statement

CLASSES = [
    f"{kind}(age: 0..20 step 10, sex in {{F, M}}; {options})"
    for kind, options in [
        ("conditions", "at most 2, either"),
        ("conditions", "at most 2, between"),
        ("trees", "depth 1"),
        ("trees", "depth 2"),
    ]
]


@statement(
    id="Mixed tables",
    says="counts of pairs of columns give the errors of every rule and tree",
    code="classes.parse_class",
    scope="four classes over two columns, 20 random records",
    status="as stated",
    proof="proofs/conditions.md#theorem-2-scores-are-counts-of-cells",
)
def compare_scores(trial: Trial) -> Outcome:
    """The scores of all written hypotheses beside the errors of each, one by one."""
    rng, checked, wrong = trial.draws(5), 0, 0
    for text in CLASSES:
        H: Any = parse_class(text)
        points = list(H.domain)
        examples = [(rng.choice(points), rng.randrange(2)) for _ in range(20)]
        sample = Sample.from_examples(H.domain, examples)
        for item, score in _items(H.scores(sample)):
            h = H.hypothesis_of_item(item)
            checked += 1
            wrong += score != sum(h(x) != y for x, y in examples)
    return Outcome("each score is a number of errors", f"{wrong} of {checked:,} differ", wrong == 0)


def _items(scores: Any) -> Iterator[tuple[Any, int]]:
    if isinstance(scores, ErrorSums):
        groups: Any = scores.groups  # of two arrays each
        for g, parts in enumerate(groups):
            for item in product(*(range(len(part)) for part in parts)):
                yield (g, *item), sum(int(part[i]) for part, i in zip(parts, item, strict=True))
    else:
        yield from enumerate(scores.errors.tolist())
