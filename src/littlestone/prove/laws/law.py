"""A check and its failure, and the points and version spaces on which checks run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.points import Domain
from littlestone.rules import Hypothesis

Class = HypothesisClass[Any]


@dataclass(frozen=True, eq=False)
class Check:
    """One law for one subject.  Calling it raises `AssertionError` if the law is broken.

    The subject is a class, a domain, functions of one kind, or a function that makes an online
    learner.  The message names the subject, the law and a witness.  If a method of the subject raises
    any other exception, the law is broken too.

    >>> from littlestone.classes import Thresholds
    >>> from littlestone.prove.laws import yield_checks
    >>> next(yield_checks(Thresholds.on(0, 9))).name
    'restrict_is_pure'
    """

    name: str
    law: Callable[[Any], None]
    subject: Any

    def __call__(self) -> None:
        try:
            self.law(self.subject)
        except AssertionError as broken:
            raise AssertionError(f"{_name_of_subject(self.subject)}: {broken}") from None
        except Exception as error:
            raise AssertionError(
                f"{_name_of_subject(self.subject)}: {self.name} ended in {error!r}"
            ) from error

    def __str__(self) -> str:
        return self.name


def _name_of_subject(subject: Any) -> str:
    if isinstance(subject, tuple):
        return type(subject[0]).__name__ if subject else "no function"
    if isinstance(subject, HypothesisClass | Domain):
        return f"{type(subject).__name__} {subject}"
    return str(getattr(subject, "__name__", subject))


def expect(holds: bool, law: str, **witness: object) -> None:
    """Raise an `AssertionError` that names the ``law`` and the ``witness`` unless the law ``holds``."""
    if not holds:
        places = ", ".join(f"{name} = {value!s:.200}" for name, value in witness.items())
        raise AssertionError(f"{law} is false" + (f" at {places}" if places else ""))


def label_range(subject: HypothesisClass[Any] | Hypothesis[Any]) -> range:
    """The labels 0, ..., k of a class or of a function."""
    return range(subject.labels)


def domain_points(domain: Domain[Any], *, few: int = 8, all_up_to: int = 40) -> list[Any]:
    """All points of a small domain, or the first points and random ones; always the same."""
    if domain.size is not None and domain.size <= all_up_to:
        return list(domain)
    rng = random.Random(0)
    tried = [*domain.examples(few), *(domain.random_point(rng) for _ in range(few))]
    return list(dict.fromkeys(tried))


def points(H: Class, *, few: int = 8, all_up_to: int = 40) -> list[Any]:
    """Points to try: all points of a small domain, or its first points, random ones and the root.

    The root is the `mistake_point`.  The points of a class are always the same.
    """
    tried = domain_points(H.domain, few=few, all_up_to=all_up_to)
    if H.domain.size is not None and H.domain.size <= all_up_to:
        return tried
    root = H.mistake_point()
    return list(dict.fromkeys([*tried, *([] if root is None else [root])]))


def version_spaces(H: Class, *, most: int = 16) -> Iterator[Class]:
    """At most ``most`` version spaces of H: H itself, an empty one, and those of random walks."""
    return islice(_walk(H), most)


def cells(V: Class, tried: list[Any]) -> dict[tuple[int, ...], Class]:
    """All ways in which V labels the points, each with its version space, by trying all labels."""
    found: dict[tuple[int, ...], Class] = {} if V.is_empty() else {(): V}
    for x in tried:
        found = {
            (*given, y): W
            for given, U in found.items()
            for y in label_range(V)
            if not (W := U.restrict(x, y)).is_empty()
        }
    return found


def _walk(H: Class) -> Iterator[Class]:
    yield H
    rng = random.Random(1)
    x = H.domain.examples(1)[0]
    yield H.restrict(x, 0).restrict(x, 1)
    while True:
        V = H
        for _ in range(4):
            # The root of a shattered tree leads to version spaces of large dimension.
            root = V.mistake_point() if rng.random() < 0.7 else None
            x = V.domain.random_point(rng) if root is None else root
            V = V.restrict(x, rng.randrange(V.labels))
            yield V
            if V.is_empty():
                break
