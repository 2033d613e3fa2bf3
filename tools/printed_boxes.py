"""Write docs/notes/boxes.md: the boxes of the papers as printed, each beside what we run.

Run it from anywhere: python tools/printed_boxes.py
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

from littlestone.learn.papers.boxes.base import Box, boxes

PAGE = Path(__file__).parent.parent / "docs" / "notes" / "boxes.md"

HEAD = """\
# The boxes as printed

Do you want to see the algorithm of a paper, with its own parameters and the order of its steps?
`littlestone theory papers` lists the boxes of the four [papers](../theorem-map.md) and of one more,
and this page shows each beside what we run instead.

A box is a function in `littlestone.learn.papers.boxes`. It takes `choose`, which decides every draw
by exact chances. So `littlestone.prove.papers.printed.law` gives the exact law of its own code at
toy sizes, and `chooser(rng)` runs it once:

```python
from fractions import Fraction
from random import Random

from littlestone.learn.papers.boxes.lyu25 import sparse_sample
from littlestone.privacy.randomness import chooser

lists = [["a", "b"], ["b"], ["b", "c"]]
print(sparse_sample(lists, epsilon=Fraction(1), B=Fraction(1), choose=chooser(Random(1))))
```

```
b
```

**Boxes are for study, on data that you made up.** They have no ledger and no budget, and some of
them leak. For data about people, use `littlestone fit`.

The versions are those of the [bibliography](../bibliography.md): [BLM20](../bibliography.md#blm20)
as arXiv:2003.00563v1, [BGS21](../bibliography.md#bgs21) as of NeurIPS 2021,
[Lyu25](../bibliography.md#lyu25) as arXiv:2510.00076, and the notes of lecture 5
([Lec5](../bibliography.md#lec5)). What a paper leaves open is a parameter here, such as `tie`.
The papers name the learners of [GGKM21](../bibliography.md#ggkm21) and
[GL21](../bibliography.md#gl21), but print no box
of them, so none is here. Of [KMM+23](../bibliography.md#kmm23) we read the abstract and the names of
its algorithms, and not the box itself. So POP is written after a description: `k` copies of the
standard optimal algorithm vote, the noisy vote is certain below `k / 4` and from `3k / 4` on, one
random copy learns if it is uncertain or wrong, and a noisy count of uncertain votes ends it. What
the description does not say is a parameter: the scales of noise, and the label of an uncertain vote.
Numbers e^x are rounded to fractions just below them. This page is made by `python
tools/printed_boxes.py`.

All boxes run. Does each keep what the paper promises of it?
"""


def page() -> str:
    """The text of the page."""
    head = "| box | what is found, in short | what we run |\n| --- | --- | --- |\n"
    return "\n".join([HEAD, head + "".join(map(line, boxes())), *map(section, boxes())])


def line(box: Box[Any, Any]) -> str:
    """A row of the table: all boxes run, and what is found of the promise begins the section."""
    anchor = re.sub(r"[^a-z0-9 _-]", "", box.id.lower()).replace(" ", "-")
    short = capital(box.found.split(". ")[0])
    ours = ", ".join(f"`{name}`" for name in box.ours.split(", "))
    return f"| [{box.id}](#{anchor}) | {short} | {ours} |\n"


def section(box: Box[Any, Any]) -> str:
    """A box: what is printed, what it keeps, and what we run."""
    rows = [
        ("Promise", box.promise),
        ("What is found", box.found),
        ("What it takes", box.takes),
        ("What mends it", box.mend),
        ("What we run", ", ".join(f"`{name}`" for name in box.ours.split(", "))),
    ]
    words = "\n".join(f"* **{name}.** {capital(text)}." for name, text in rows if text)
    module = box.run.__module__.removeprefix("littlestone.")
    head = f"## {box.id}\n\n`{module}.{box.run.__name__}`:\n\n"
    return f"{head}```python\n{steps(box)}\n```\n\n{words}\n"


def steps(box: Box[Any, Any]) -> str:
    """The source of a box without its decorator and the words of its docstring."""
    source = dedent(inspect.getsource(box.run))
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    lines = source.splitlines()
    first = node.body[0]
    body = lines[first.end_lineno :]
    return "\n".join([*lines[node.lineno - 1 : first.lineno - 1], *body])


def capital(text: str) -> str:
    """The text with a capital letter at its beginning, if that is a word."""
    first = text.split(" ", 1)[0].rstrip(":,;")
    return text[0].upper() + text[1:] if first.isalpha() and len(first) > 1 else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
