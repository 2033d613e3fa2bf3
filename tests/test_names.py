"""Names speak by themselves: a function does or returns what its name says; few are met often."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import littlestone
from littlestone.base.discovery import modules

ROOT = Path(littlestone.__file__).parent

MOST_FILES = 6
BOTH_WAYS = {"to_json", "from_json"}
"""Whatever a file holds is written and read by this pair."""

IN_FILES = {"Combined", "Listed"}
"""A kind of classes and a kind of columns, whose names model files and fingerprints hold."""

SHARED = {
    "bgs21": "BGS21",
    "blm20": "BLM20",
    "boosting": "boosting by majority",
    "check": "the command, and what it runs",
    "choice": "the choice of a learner",
    "choosing": "the choosing mechanism",
    "composed": "several events as one",
    "drawn_sums": "a draw, and the noisy sums after it",
    "exponential": "the exponential mechanism",
    "flats": "affine subspaces",
    "frames": "data frames",
    "game": "the online game",
    "gaussian": "discrete Gaussian noise",
    "lecture5": "lecture 5",
    "ledger": "the ledger",
    "lookup": "tables that are looked up, and what learns them",
    "lyu25": "Lyu25",
    "noisy_sums": "noisy sums",
    "players": "players of the online game",
    "quality": "how good a release is",
    "release": "a release",
    "risks": "the risks at the places of a rule",
    "rules": "equality rules",
    "schema": "the schema of a table",
    "score_sheet": "score sheets",
    "score_sheets": "score sheets",
    "scores": "scores of hypotheses",
    "search": "the search in the atlas",
    "sheet": "a score sheet",
    "staged": "the stages of Lyu25",
    "stream": "a private run over a stream",
    "tables": "labels that are listed point by point",
    "teachers": "teachers who vote",
    "tree": "a tree of questions",
    "trees": "decision trees",
    "units": "the units that a guarantee protects",
    "unread": "cells that a declaration cannot read",
}
"""What a file is about if its name stands in several rooms: one thing, seen from each of them."""

NO_PARTICIPLES = {"embed", "feed", "hundred", "need", "seed", "speed"}
IRREGULAR = {
    "begun", "bought", "broken", "brought", "built", "caught", "chosen", "dealt",
    "done", "drawn", "driven", "eaten", "fallen", "felt", "forgotten", "fought", "found",
    "frozen", "given", "gone", "grown", "heard", "held", "hidden", "kept", "known", "laid",
    "led", "lent", "lost", "made", "meant", "met", "misled", "form_error", "paid",
    "proven", "redrawn", "rewritten", "risen", "said", "seen", "sent", "shown", "sold",
    "sought", "spent", "spoken", "stolen", "struck", "sworn", "taken", "taught", "thought",
    "thrown", "told", "torn", "understood", "undone", "unknown", "withheld", "woken", "won",
    "worn", "woven", "written",
}  # fmt: skip


def definitions() -> Iterator[tuple[str, Path, bool]]:
    """Each function and class of the package: its name, its file, and whether it overrides a method."""
    classes = {
        (Path(str(module.__file__)), name): kind
        for module in modules("littlestone")
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and kind.__module__ == module.__name__
    }

    def below(node: ast.AST, path: Path, kind: type | None) -> Iterator[tuple[str, Path, bool]]:
        for child in ast.iter_child_nodes(node):
            inner = None
            if isinstance(child, ast.ClassDef):
                inner = classes.get((path, child.name)) if isinstance(node, ast.Module) else None
                yield child.name, path, False
            elif isinstance(child, ast.FunctionDef):
                bases = kind.__mro__[1:] if kind else ()
                yield child.name, path, any(child.name in vars(base) for base in bases)
            yield from below(child, path, inner)

    for path in sorted(ROOT.rglob("*.py")):
        yield from below(ast.parse(path.read_text(encoding="utf-8")), path, None)


def is_participle(name: str) -> bool:
    """Whether the name is a past participle alone, such as ``written`` or ``_Seen``."""
    words = re.findall("[A-Z]?[a-z0-9]+|[A-Z]+", name)
    word = words[0].lower() if len(words) == 1 else ""
    return word in IRREGULAR or (
        len(word) > 3 and word.endswith("ed") and word not in NO_PARTICIPLES
    )


def widespread(most: int) -> dict[str, int]:
    """In how many files a name is defined anew, for those in more than ``most``."""
    files = defaultdict(set)
    for name, path, overrides in definitions():
        if not overrides and not name.startswith("__"):
            files[name].add(path)
    return {name: len(where) for name, where in files.items() if len(where) > most}


def test_no_name_is_defined_anew_in_more_than_six_files() -> None:
    assert widespread(MOST_FILES).keys() - BOTH_WAYS == set()


def test_a_file_name_has_one_meaning() -> None:
    """Name a file otherwise, or say in `SHARED` what all files of that name are about."""
    names = Counter(path.stem for path in ROOT.rglob("*.py"))
    several = {name for name, times in names.items() if times > 1}
    assert several - SHARED.keys() == {"__init__", "base"}


def test_no_file_but_an_entry_has_few_lines() -> None:
    lines = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for path in ROOT.rglob("*.py")
        if path.name != "__init__.py"
    }
    assert {name for name, count in lines.items() if count < 40} == {"__main__.py", "core.py"}


def test_no_function_and_no_class_is_named_by_a_participle_alone() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for name, path, _ in definitions()
        if is_participle(name)
    }
    assert {text for text in found if text.split()[-1] not in IN_FILES} == set()


@pytest.mark.parametrize("name", ["written", "_named", "Told", "_Known", "relabelled"])
def test_a_participle_is_seen(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["seed", "is_closed", "rounded_up", "StatedSize", "read", "split"])
def test_other_names_are_left_alone(name: str) -> None:
    assert not is_participle(name)


def test_names_in_several_files_are_counted() -> None:
    assert widespread(3).keys() > {"search", *BOTH_WAYS}
    assert "restrict" not in widespread(MOST_FILES)
