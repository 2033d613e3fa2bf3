"""A check, its failure, and the points and version spaces on which checks run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from littlestone.classes.base import HypothesisClass

Class = HypothesisClass[Any]


@dataclass(frozen=True, eq=False)
class Check:
    """One law, bound to one class: call it.  It raises `AssertionError` when the law is broken.

    The message names the class, the law and a witness.  An exception of another type inside the
    class's methods is a broken law too.

    >>> from littlestone.classes import Thresholds
    >>> from littlestone.checks import yield_checks
    >>> next(yield_checks(Thresholds.on(0, 9))).name
    'restrict_is_pure'
    """

    name: str
    law: Callable[[Class], None]
    H: Class

    def __call__(self) -> None:
        try:
            self.law(self.H)
        except AssertionError as broken:
            raise AssertionError(f"{type(self.H).__name__} {self.H}: {broken}") from None
        except Exception as error:
            raise AssertionError(
                f"{type(self.H).__name__} {self.H}: {self.name} ended in {error!r}"
            ) from error

    def __str__(self) -> str:
        return self.name


def expect(holds: bool, law: str, **witness: object) -> None:
    """Raise the `AssertionError` of a broken ``law`` at ``witness`` unless it ``holds``."""
    if not holds:
        places = ", ".join(f"{name} = {value!s:.200}" for name, value in witness.items())
        raise AssertionError(f"{law} is false" + (f" at {places}" if places else ""))


def points(H: Class, *, few: int = 8, all_up_to: int = 40) -> list[Any]:
    """Points to try: the whole domain if it is small, else its first ones, random ones and the root.

    Always the same for one class.
    """
    size = H.domain.size
    if size is not None and size <= all_up_to:
        return list(H.domain)
    rng = random.Random(0)
    root = H.mistake_point()
    tried = [*H.domain.examples(few), *(H.domain.random_point(rng) for _ in range(few))]
    return list(dict.fromkeys([*tried, *([] if root is None else [root])]))


def version_spaces(H: Class, *, most: int = 16) -> Iterator[Class]:
    """At most ``most`` version spaces of H: itself, a contradiction, and those on random walks."""
    return islice(_walk(H), most)


def _walk(H: Class) -> Iterator[Class]:
    yield H
    rng = random.Random(1)
    x = H.domain.examples(1)[0]
    yield H.restrict(x, 0).restrict(x, 1)
    while True:
        V = H
        for _ in range(4):
            # The roots of shattered trees keep a walk among version spaces of large dimension.
            root = V.mistake_point() if rng.random() < 0.7 else None
            x = V.domain.random_point(rng) if root is None else root
            V = V.restrict(x, rng.randrange(V.labels))
            yield V
            if V.is_empty():
                break
