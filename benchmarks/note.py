"""The note "Private learning of Littlestone classes in numbers": its numbers, figures and page.

``python -m benchmarks note`` computes every number, prints it under its name, and writes the page and
its figures: two minutes of CPU time.  ``python -m benchmarks.note quick`` takes the numbers that take
long from the last full run, in ``benchmarks/noted/recorded.json``, as the tests do.  The text with gaps
is ``benchmarks/noted/page.md``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from rich.console import Console

from benchmarks.harness import steps
from benchmarks.noted import lemmas, sizes, small_classes, statements
from benchmarks.noted.figures import FIGURES
from benchmarks.noted.words import Values
from littlestone.verify.statement import statement_named

ON_REQUEST = True
DOCS, OWN = Path(__file__).parents[1] / "docs", Path(__file__).parent / "noted"
PAGE, TEXT = DOCS / "notes" / "littlestone-classes-in-numbers.md", OWN / "page.md"
RECORDED = OWN / "recorded.json"
GAP = re.compile(r"\{\{(\w+)\.(\w+)\}\}")

ROWS = {  # of `littlestone verify`: what was measured
    "laws": "BLM20 algorithm G: SOA(S T) for S ~ D~_k has the law of its definition",
    "capped": "BLM20 Theorem 10: Pr[G(S) = f] >= 1 / ((d + 1) 2^(d + 1)) for some f of loss <= alpha, "
    "with a cap",
    "agree": "BLM20 Lemma 12: its proof, Pr[all k tournament examples agree with c] = 2^-k",
    "splits": "Lyu25 Claim 6.2: a factor of 1 +- 1/(5d) between chunks, for every h",
    "potential": "Lyu25 Claim 6.4: sum_f r^score(f) falls to 4/5 from a call to the next of a stage",
}


def rows() -> Values:
    """What rows of `littlestone verify` measure, in their words up to a comma or a semicolon."""
    found = {name: statement_named(row)().outcome.measured for name, row in ROWS.items()}
    return found | {f"{name}_first": re.split("[,;]", text)[0] for name, text in found.items()}


QUICK: dict[str, Callable[[], Values]] = {
    "map": statements.values,
    **lemmas.SECTIONS,
    **sizes.SECTIONS,
    "rows": rows,
}
SLOW: dict[str, Callable[[], Values]] = {
    "larger_n": lemmas.larger_n,
    "atlas": partial(small_classes.classes, 4),
    "bits": small_classes.bits,
}


def computed(sections: Iterable[tuple[str, Callable[[], Values]]]) -> dict[str, Values]:
    """The values of these sections."""
    return {name: dict(values()) for name, values in sections}


def recorded() -> dict[str, Values]:
    """The values that take long, of the last full run."""
    found: dict[str, Values] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def page(found: dict[str, Values]) -> str:
    """The note, with its gaps filled."""
    text = TEXT.read_text(encoding="utf-8")
    return GAP.sub(lambda gap: found[gap[1]][gap[2]], text)


def show(console: Console, *, quick: bool = False) -> None:
    """Compute the numbers, print them, and write the page and its figures."""
    found = computed(QUICK.items())
    if quick:
        found |= recorded()
    else:
        slow = computed(steps(list(SLOW.items()), "note", console))
        RECORDED.write_text(json.dumps(slow, indent=1) + "\n", encoding="utf-8")
        found |= slow
    for section, values in found.items():
        for name, value in values.items():
            space = "\n" if "\n" in value else " "
            console.print(f"{section}.{name} ={space}{value}", markup=False, highlight=False)
    for name, figure in FIGURES.items():
        (DOCS / "figures" / f"{name}.svg").write_bytes(figure())
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(found), encoding="utf-8")
    console.print(f"written: {PAGE}", highlight=False)


if __name__ == "__main__":
    show(Console(), quick="quick" in sys.argv[1:])
