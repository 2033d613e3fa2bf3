"""``littlestone play``: the online game, on the screen."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.classes import HypothesisClass
from littlestone.cli.arguments import class_or_file
from littlestone.cli.console import counted, finite_or_text, out, print_json, print_table
from littlestone.errors import DeclarationError
from littlestone.online import (
    Adversary,
    FileAdversary,
    Halving,
    OnlineLearner,
    RandomAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
)
from littlestone.online import (
    play as play_game,
)

_LEARNERS: dict[str, type[StandardOptimalAlgorithm[Any]] | type[Halving[Any]]] = {
    "soa": StandardOptimalAlgorithm,
    "halving": Halving,
}


def play(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CLASS-or-FILE", help="A class, such as 'points(id)', or a table of 0s and 1s."
        ),
    ],
    learner: Annotated[str, typer.Option(help="soa or halving.")] = "soa",
    adversary: Annotated[
        str,
        typer.Option(
            help="tree (forces every mistake it can), random, or a CSV file of columns and a label."
        ),
    ] = "tree",
    rounds: Annotated[
        int | None, typer.Option(min=0, help="At most so many rounds; 20 against random.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat the random adversary's choices.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Play the online game round by round; the standard optimal algorithm errs at most LDim times."""
    H = class_or_file(what)
    if learner not in _LEARNERS:
        raise DeclarationError(
            f"play with the learner {learner!r}",
            found="there is no such learner",
            fix=f"use one of: {', '.join(_LEARNERS)}",
        )
    player: OnlineLearner[Any] = _LEARNERS[learner](H)
    opponent = _adversary(adversary, H, seed)
    if rounds is None and opponent.endless:
        rounds = 20
    transcript = play_game(player, opponent, rounds=rounds)
    table = transcript.table(H.domain.words)
    dimension = H.littlestone_dimension()
    if as_json:
        print_json(
            {
                "class": str(H),
                "littlestone_dimension": finite_or_text(dimension),
                "rounds": table,
                "mistakes": transcript.mistakes,
                "interrupted": transcript.interrupted,
            }
        )
        return
    if table:
        print_table(list(table[0]), [list(row.values()) for row in table])
    out.print(
        f"{counted(transcript.mistakes, 'mistake')} in {counted(len(table), 'round')}"
        f"{', interrupted' if transcript.interrupted else ''}; "
        f"the Littlestone dimension of {H} is {dimension}"
    )
    if transcript.interrupted:
        raise typer.Exit(130)


def _adversary(name: str, H: HypothesisClass[Any], seed: int | None) -> Adversary[Any]:
    if name == "tree":
        return TreeAdversary(H)
    if name == "random":
        return RandomAdversary(H, rng=None if seed is None else random.Random(seed))
    if not Path(name).is_file():
        raise DeclarationError(
            f"play against the adversary {name!r}",
            found="there is neither such an adversary nor such a file",
            fix="use tree, random, or a CSV file of the columns of the class and a label",
        )
    return FileAdversary(name, H)
