"""Pages on which a person plays the online game on a small class, or walks a tree of questions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from littlestone.base.errors import TooLargeError, in_digits, visible
from littlestone.base.markup import Html, tag
from littlestone.base.work import answering
from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.pictures.tree import Node, tone
from littlestone.rules.base import numbers
from littlestone.show.pages.frame import page, prose, section

MOST_HYPOTHESES = 32
"""The most hypotheses of a game; the page keeps a version space in the bits of one number."""

MOST_POINTS = 64
"""The most points of a game."""

NO_SCRIPT = tag(
    "noscript",
    tag("p", "This page needs JavaScript. It loads nothing and sends nothing.", class_="warning"),
)


@dataclass(frozen=True)
class Board:
    """A class in full: its points, its hypotheses in words, and ``rows[i][j]``, the labels."""

    points: tuple[str, ...]
    hypotheses: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, H: HypothesisClass[Any]) -> Board:
        """The board of a class of at most 32 hypotheses on at most 64 points.

        Raises `TooLargeError` for a larger class, and as `HypothesisClass.require_learnable`.

        >>> from littlestone.classes import parse_class
        >>> board = Board.of(parse_class("thresholds(x, 1..2)"))
        >>> board.hypotheses, board.rows
        (('always 0', 'x >= 2', 'always 1'), ((0, 0), (0, 1), (1, 1)))
        """
        H.require_learnable()
        width = H.domain.size
        if width is None or width > MOST_POINTS or (H.size or 0) > MOST_HYPOTHESES:
            many = "infinitely many" if width is None else in_digits(width)
            on = f"hypotheses on {many} points"
            raise _too_large(H, f"{many} points" if H.size is None else f"{in_digits(H.size)} {on}")
        points = [*H.domain]
        with answering():
            found = _functions(H, points)
        names = [name for name, _ in found]
        return cls(
            tuple(visible(H.domain.words(x)) for x in points),
            tuple(map(visible, names)),
            tuple(row for _, row in found),
        )


def game_page(H: HypothesisClass[Any], title: str, source: str, labels: Sequence[str] = ()) -> str:
    """A page to play the online game on H; ``source`` says where the class is from.

    ``labels`` are names of the labels, by default their numbers.  Raises as `Board.of`.
    """
    board = Board.of(H)
    dimension = int(H.littlestone_dimension())
    size = (
        f"{_count_noun(board.hypotheses, 'hypothesis', 'hypotheses')} on "
        f"{_count_noun(board.points, 'point', 'points')}, of Littlestone dimension {dimension}."
    )
    data = {
        "kind": "game",
        "points": board.points,
        "hypotheses": board.hypotheses,
        "rows": board.rows,
        "labels": [visible(name) for name in labels or numbers(H.labels)],
    }
    sections = [Html("\n"), tag("div", NO_SCRIPT, id="play"), _theorem(dimension)]
    return page(title, "The online game", [prose(size), _rules()], sections, source, data)


def _count_noun(things: Sequence[str], one: str, many: str) -> str:
    return f"{len(things)} {one if len(things) == 1 else many}"


def _rules() -> Html:
    return prose(
        "Each round has a point. One side predicts its label, and the other side says what the label "
        "is. Some hypothesis must agree with all labels so far: the hypotheses that agree are the ",
        tag("em", "version space"),
        ".",
    )


def _theorem(dimension: int) -> Html:
    if not dimension:
        return section(
            "What is proved",
            prose(
                "The class has one function. A learner that predicts its labels never errs, because "
                "the adversary must agree with it."
            ),
        )
    times = {1: "once", 2: "twice"}.get(dimension, f"{dimension} times")
    return section(
        "What is proved",
        prose(
            f"Every learner can be made to err {times}. The adversary asks a point at which two "
            "labels lower the dimension by at most 1 each. Whatever the learner predicts, the "
            f"adversary can say another label, and it can do so {times}."
        ),
        prose(
            "At most one label of a point keeps the dimension. The standard optimal algorithm "
            "predicts that label if there is one, so each of its mistakes lowers the dimension. It "
            f"never errs more than {times}, whatever the points and labels are."
        ),
    )


def _functions(H: HypothesisClass[Any], points: Sequence[Any]) -> list[tuple[str, tuple[int, ...]]]:
    """The hypotheses in words with their labels at the points, in the order of their labels."""
    if isinstance(H, FiniteClass):
        table = H.label_table()
        rows = (tuple(map(int, row)) for row in table.values)
        found = list(zip(table.hypotheses, rows, strict=True))
        if len(found) > MOST_HYPOTHESES:
            raise _too_large(H, f"{len(found):,} hypotheses")
        return found
    found = []
    waiting: list[tuple[HypothesisClass[Any], tuple[int, ...]]] = [(H, ())]
    while waiting:
        V, row = waiting.pop()
        if len(row) == len(points):
            if len(found) == MOST_HYPOTHESES:
                raise _too_large(H, f"more than {MOST_HYPOTHESES} hypotheses")
            found.append((V.soa().words(), row))
            continue
        for y in reversed(range(H.labels)):
            W = V.restrict(points[len(row)], y)
            if not W.is_empty():
                waiting.append((W, (*row, y)))
    return found


def _too_large(H: HypothesisClass[Any], found: str) -> TooLargeError:
    return TooLargeError(
        f"make a page to play on {H}",
        found=f"it has {found}; a page has at most {MOST_HYPOTHESES} hypotheses on {MOST_POINTS} "
        "points",
        fix="declare a smaller class, such as thresholds(x, 1..31) or conjunctions(a, b, c), or "
        "play in the terminal, without --out",
    )


@dataclass(frozen=True)
class Walk:
    """What a page says about a kind of tree: above it, and of its questions and ends."""

    kind: str
    about: str
    question: str
    end: str
    ends_say_dimension: bool = False


MISTAKES = Walk(
    "A shattered tree",
    "At each point an adversary can say that the prediction was wrong, whatever it was: some "
    "hypothesis agrees with every path. So each level of the tree is a mistake that can be forced.",
    "Point",
    "A hypothesis that agrees with the path",
)
DECOMPOSITION = Walk(
    "A decomposition tree",
    "The tree cuts the class into version spaces that few points cannot reduce. An end shows the "
    "Littlestone dimension of its version space and its standard optimal algorithm.",
    "Point",
    "Version space",
    ends_say_dimension=True,
)
RULE = Walk(
    "A rule as a tree",
    "Answer the questions for a record, and see what the rule predicts. A missing value answers no.",
    "Question",
    "Prediction",
)


def walk_page(root: Node, walk: Walk, title: str, source: str) -> str:
    """A page to walk in a tree; ``source`` says what the tree was made from."""
    data = {
        "kind": "walk",
        "names": {"question": walk.question, "end": walk.end},
        "tree": _node(root, walk),
    }
    sections = [Html("\n"), tag("div", NO_SCRIPT, id="play")]
    return page(title, walk.kind, [prose(walk.about)], sections, source, data)


def _node(node: Node, walk: Walk) -> dict[str, object]:
    said = walk.ends_say_dimension and not node.after and not node.cut
    after = [[str(y), tone(y), _node(below, walk)] for y, below in node.after]
    note = "" if node.space is None else _note(node.space, dimension=not said)
    return {"text": visible(node.text), "note": note, "cut": node.cut, "after": after}


def _note(V: HypothesisClass[Any], *, dimension: bool) -> str:
    """The dimension, if it is asked for and found, and the size of a version space."""
    found = ""
    if dimension:
        with suppress(TooLargeError), answering():
            found = f"dimension {V.littlestone_dimension()}, "
    if V.size is not None:
        return f"{found}{in_digits(V.size)} hypothes{'is' if V.size == 1 else 'es'}"
    return f"{found}{'infinitely' if V.domain.size is None else 'very'} many hypotheses"
