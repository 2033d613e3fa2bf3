"""``littlestone theory dims``: nothing else shows all dimensions of a table or a class side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.classes import parse_class
from littlestone.classes.base import Enumerable
from littlestone.classes.text.table_file import read_labels
from littlestone.cli.classes import is_class
from littlestone.cli.console import err, out, print_columns, print_json
from littlestone.dimension import (
    Bracket,
    CollapsingMap,
    Family,
    LabelTable,
    PsiTree,
    Question,
    littlestone_bounds,
    psi_b,
    psi_bin,
    psi_g,
    psi_n,
)
from littlestone.dimension.half_graphs import star_brackets, threshold_brackets
from littlestone.dimension.multiclass import MOST_LABELS, psi_shattered_brackets, psi_tree_brackets
from littlestone.dimension.search.splits import OutOfTimeError
from littlestone.dimension.search.splits import time_limit as searching_for
from littlestone.dimension.teaching import teaching_brackets
from littlestone.theory.game import (
    AppleGame,
    BanditGame,
    Board,
    Game,
    LenientGame,
    Play,
    RandomizedGame,
    SelfDirectedGame,
    TransductiveGame,
)

MOST_ENTRIES = 1 << 16
"""The most labels of a class that is listed here."""

GAME_SECONDS = 2
"""Games visit all version spaces.  Small tables take less, and of large ones only bounds are known."""


@dataclass(frozen=True)
class Finding:
    """The known bounds of a dimension, its witness in words, and the witness as plain JSON values."""

    known: Bracket[Any]
    words: str
    witness: dict[str, Any] = field(default_factory=dict)


Search = Callable[[LabelTable], Iterable[Finding]]
"""The search for a dimension of a table: closer and closer bounds; the last ones are equal."""


def dims(
    table: Path,
    labels: int | None = None,
    time_limit: Annotated[float, typer.Option(min=0)] = 30,
    undefined: Annotated[int | None, typer.Option(min=0)] = None,
    as_json: bool = False,
) -> None:
    """Print all dimensions of a table or a small class, with witnesses.

    For a 0/1 table: Littlestone, VC, threshold, their duals, teaching, star number.  For more labels:
    multiclass Littlestone, Psi^bin, Psi^B, the graph variant, the bit classes, Natarajan, graph,
    teaching.  Then the values of games: a learner that draws, chooses the points, knows them, sees less
    (apple tasting, bandit), or one error of the best hypothesis.
    A dimension that takes longer than the time limit, or a game of more than 2 seconds, is printed as
    bounds.  Ctrl+C keeps what was found so far, with the bounds of the search that it stopped.

    table FILE-or-CLASS: A CSV or .npy table of labels 0..k: each row is a hypothesis, each column a
        point; or a class whose table has at most 65,536 labels, such as 'intervals(x, 1..6)'.
    labels: The number of labels; by default, the largest label plus 1.
    time_limit SECONDS: Stop the search for each dimension after this time, and print bounds.
    undefined LABEL: A hypothesis with this label at a point is undefined there (partial concepts).
        Games alone are printed.
    """
    H = _read_or_list(str(table), labels)
    done: dict[str, Finding] = {}
    stopped = None
    for name, search in _searches(H, time_limit, undefined).items():
        try:
            with searching_for(time_limit), suppress(OutOfTimeError, TooLargeError):
                for found in search(H):
                    done[name] = found
        except KeyboardInterrupt:
            stopped = name
            break
        if not as_json:
            _print(name, done[name], "time limit")
    if as_json:
        print_json(_data(H, done, stopped))
    elif stopped in done:
        _print(stopped, done[stopped], "interrupted")
    if stopped is not None:
        err.print(f"interrupted during: {stopped}")
        raise typer.Exit(130)


def _read_or_list(what: str, labels: int | None) -> LabelTable:
    """The table of a file, or of all hypotheses of a class at all points."""
    if not is_class(what):
        return read_labels(what, labels=labels)
    H = parse_class(what)
    points = H.domain.size
    if not isinstance(H, Enumerable) or points is None or (H.size or 0) * points > MOST_ENTRIES:
        raise DeclarationError(
            f"print all dimensions of {what}",
            found="it is no file, and no class whose hypotheses can be listed with at most "
            f"{MOST_ENTRIES:,} labels",
            fix="give a CSV or .npy table, or a smaller class; `littlestone dim` takes any class",
        )
    return LabelTable.of(
        H.table(),
        labels=labels or H.labels,
        points=[H.domain.words(x) for x in H.domain],
        hypotheses=[H.hypothesis(i).words() for i in range(H.size or 0)],
    )


def _print(name: str, found: Finding, reason: str) -> None:
    known = found.known
    if known.is_settled:
        out.print(f"{name}: {known.lower}")
    else:
        out.print(f"{name}: between {known.lower} and {known.upper} ({reason})")
        print_columns([[f"at most {known.upper} by {known.above}"]], indent=4)
    if found.words:
        print_columns([[found.words]], indent=4)


def _data(H: LabelTable, done: dict[str, Finding], stopped: str | None) -> dict[str, object]:
    dimensions = {name: _bounds(found.known) | found.witness for name, found in done.items()}
    return {
        "hypotheses": H.size,
        "points": len(H.points),
        "labels": H.labels,
        "dimensions": dimensions,
        "interrupted": stopped is not None,
    }


def _bounds(known: Bracket[Any]) -> dict[str, object]:
    lower, upper = (float(end) if isinstance(end, Fraction) else end
                    for end in (known.lower, known.upper))  # fmt: skip
    if known.is_settled:
        return {"value": lower, "exact": True}
    return {"value": lower, "exact": False, "upper": upper, "upper_by": known.above}


def _searches(H: LabelTable, time_limit: float, undefined: int | None) -> dict[str, Search]:
    if undefined is None:
        return _binary(time_limit) if H.labels == 2 else _multiclass(H, time_limit)
    if undefined >= H.labels:
        raise DeclarationError(
            f"read label {undefined} as undefined",
            found=f"the labels are 0..{H.labels - 1}",
            fix="give one of them",
        )
    kinds: dict[str, type[Game]] = {
        "Littlestone dimension": LenientGame,
        "randomized Littlestone dimension": RandomizedGame,
        "mistakes if one label is wrong": _OneError,
    }
    if H.labels > 3:
        kinds["bandit Littlestone dimension"] = BanditGame
    return {name: _game(kind, time_limit, undefined) for name, kind in kinds.items()}


def _binary(time_limit: float) -> dict[str, Search]:
    return {
        "Littlestone dimension": _littlestone(time_limit),
        "VC dimension": _set(psi_n),
        "dual VC dimension": _dual(_set(psi_n)),
        "dual Littlestone dimension": _dual(_littlestone(time_limit)),
        "teaching dimension": _in_words(teaching_brackets, _tell_teaching),
        "threshold dimension": _in_words(threshold_brackets, _tell_threshold),
        "star number": _in_words(star_brackets, _tell_star),
        "randomized Littlestone dimension": _game(RandomizedGame, time_limit),
        "self-directed mistakes": _game(SelfDirectedGame, time_limit),
        "transductive mistakes": _game(TransductiveGame, time_limit),
        "apple tasting mistakes": _game(AppleGame, time_limit),
        "mistakes if one label is wrong": _game(_OneError, time_limit),
    }


def _multiclass(H: LabelTable, time_limit: float) -> dict[str, Search]:
    searches = {
        "multiclass Littlestone dimension": _tree(psi_n),
        "Psi^bin-Littlestone dimension": _tree(psi_bin),
        "Psi^B-Littlestone dimension": _tree(psi_b),
        "graph Littlestone dimension": _tree(psi_g),
        **{f"Littlestone dimension of bit {i}": _bit(i) for i in range(H.bits)},
        "Natarajan dimension": _set(psi_n),
        "graph dimension": _set(psi_g),
        "teaching dimension": _in_words(teaching_brackets, _tell_teaching),
        "randomized Littlestone dimension": _game(RandomizedGame, time_limit),
        "bandit Littlestone dimension": _game(BanditGame, time_limit),
        "self-directed mistakes": _game(SelfDirectedGame, time_limit),
        "transductive mistakes": _game(TransductiveGame, time_limit),
    }
    if max(map(len, H.masks)) > MOST_LABELS:
        err.print(f"Psi^B is left out: more than {MOST_LABELS} labels at a point")
        del searches["Psi^B-Littlestone dimension"]
    return searches


def _littlestone(time_limit: float) -> Search:
    def search(H: LabelTable) -> Iterator[Finding]:
        with searching_for(None):  # it stops by itself, and what it knows is returned
            bounds = littlestone_bounds(H.values, time_limit=time_limit)
        asked = tuple(Question(x, CollapsingMap((0,), (1,))) for x in bounds.tree.points)
        tree = PsiTree(asked, bounds.tree.leaves)
        known = Bracket(bounds.lower, bounds.upper, tree, "a search for more")
        yield Finding(known, *_tell_tree(H, tree))
        if bounds.interrupted and not bounds.timed_out:
            raise KeyboardInterrupt

    return search


def _in_words(
    brackets: Callable[[LabelTable], Iterable[Bracket[Any]]],
    tell: Callable[[LabelTable, Any], tuple[str, dict[str, Any]]],
) -> Search:
    """The search of these brackets, whose witnesses ``tell`` says in words and as JSON."""
    return lambda H: (Finding(known, *tell(H, known.witness)) for known in brackets(H))


def _tree(psi: Family) -> Search:
    return _in_words(lambda H: psi_tree_brackets(H, psi), _tell_tree)


def _bit(i: int) -> Search:
    return lambda H: _tree(psi_n)(H.bit_class(i))


def _dual(search: Search) -> Search:
    return lambda H: search(H.transpose())


def _set(psi: Family) -> Search:
    return _in_words(lambda H: psi_shattered_brackets(H, psi), _tell_set)


def _tell_set(H: LabelTable, questions: Iterable[Question]) -> tuple[str, dict[str, Any]]:
    asked = sorted(questions, key=lambda question: question.point)
    shown = ", ".join(_ask(H, question) for question in asked)
    words = f"all {2 ** len(asked)} patterns of answers to {shown}" if asked else ""
    return words, {"shattered": [_question_json(H, question) for question in asked]}


def _tell_threshold(H: LabelTable, witness: Any) -> tuple[str, dict[str, Any]]:
    points = [H.points[x] for x in witness.points]
    hypotheses = [H.hypotheses[h] for h in witness.hypotheses]
    words = f"{_some(hypotheses)} on {_some(points)}: each is 1 from its own point on"
    return words if points else "", {"points": points, "hypotheses": hypotheses}


def _tell_star(H: LabelTable, star: Any) -> tuple[str, dict[str, Any]]:
    center, points = H.hypotheses[star.center], [H.points[x] for x in star.points]
    hypotheses = [H.hypotheses[h] for h in star.hypotheses]
    words = f"around {center} on {_some(points)}: {_some(hypotheses)}" if points else ""
    return words, {"center": center, "points": points, "hypotheses": hypotheses}


def _tell_teaching(H: LabelTable, sets: Any) -> tuple[str, dict[str, Any]]:
    hardest = H.hypotheses[max(sets, key=lambda h: len(sets[h]))]
    named = {H.hypotheses[h]: [H.points[x] for x in points] for h, points in sets.items()}
    shown = named[hardest]
    words = f"to teach {hardest}, show its labels at {_some(shown)}" if shown else ""
    return words, {"hardest": hardest, "teaching_sets": named}


class _OneError(LenientGame):
    def __init__(self, board: Board) -> None:
        super().__init__(board, errors=1)


def _game(kind: type[Game], time_limit: float, undefined: int | None = None) -> Search:
    def search(H: LabelTable) -> Iterator[Finding]:
        game = kind(Board.from_table(H, undefined=undefined))
        most: Any = game.most(game.start)
        yield Finding(Bracket(0, most, None, "the number of hypotheses"), "")
        with searching_for(min(time_limit, GAME_SECONDS)):
            value: Any = game.value()
            tree = game.tree()
        yield Finding(Bracket(value, value, tree, "all positions"), _play_words(H, tree),
                      {"tree": _play_json(H, tree)})  # fmt: skip

    return search


def _move(H: LabelTable, asked: Any) -> str:
    """The point of a question, or the announced points."""
    if isinstance(asked, tuple):
        return "announce " + _some([H.points[x] for x in asked])
    return f"ask {H.points[asked]}"


def _play_words(H: LabelTable, tree: Play | int) -> str:
    if not isinstance(tree, Play):
        return ""
    after = [
        f"after {answer}, {_move(H, below.asked)}"
        for answer, below in enumerate(tree.below)
        if isinstance(below, Play)
    ]
    first = _move(H, tree.asked)
    if isinstance(tree.asked, tuple):
        return first
    return "; ".join([first, *after[:2]])


def _play_json(H: LabelTable, tree: Play | int | None) -> Any:
    if not isinstance(tree, Play):
        return None if tree is None else H.hypotheses[tree]
    return {"play": _move(H, tree.asked), "below": [_play_json(H, below) for below in tree.below]}


def _tree_words(H: LabelTable, tree: PsiTree) -> str:
    if not tree.depth:
        return ""
    shown = f"ask {_ask(H, tree.questions[0])}"
    for i, answer in ((1, 0), (2, 1)):
        if i < len(tree.questions):
            shown += f"; after answer {answer}, {_ask(H, tree.questions[i])}"
    if tree.depth > 2:
        shown += f"; and so on, {tree.depth} deep (--json prints the tree)"
    return shown


def _tell_tree(H: LabelTable, tree: PsiTree) -> tuple[str, dict[str, Any]]:
    asked = [_question_json(H, question) for question in tree.questions]
    return _tree_words(H, tree), {"tree": asked, "leaves": [H.hypotheses[h] for h in tree.leaves]}


def _ask(H: LabelTable, question: Question) -> str:
    point = H.points[question.point]
    return point if H.labels == 2 else f"{point} ({_sides(question.phi)})"


def _sides(phi: CollapsingMap) -> str:
    zero, one = (" or ".join(map(str, side)) for side in (phi.zero, phi.one))
    return f"{zero} against {one}"


def _question_json(H: LabelTable, question: Question) -> object:
    point = H.points[question.point]
    if H.labels == 2:
        return point
    return {"point": point, "zero": question.phi.zero, "one": question.phi.one}


def _some(names: list[str], most: int = 12) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
