"""The page on which a person walks a tree of questions, from its first question to an end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.base.markup import Html, tag
from littlestone.base.steps import answering
from littlestone.base.visible import visible
from littlestone.classes import HypothesisClass
from littlestone.classes.text.limits import in_digits
from littlestone.pictures.tree import Node, tone
from littlestone.show.pages.frame import page, prose
from littlestone.show.pages.game import NO_SCRIPT


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
