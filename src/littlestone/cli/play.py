"""``littlestone play``: the online game, on the screen."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from littlestone.classes import HypothesisClass
from littlestone.cli.arguments import SchemaOption, class_or_file
from littlestone.cli.console import counted, finite_or_text, out, print_json, print_table
from littlestone.data.schema import opened_schema
from littlestone.errors import DeclarationError, no_such
from littlestone.online import (
    Adversary,
    FileAdversary,
    Halving,
    RandomAdversary,
    StandardOptimalAlgorithm,
    TreeAdversary,
)
from littlestone.online import (
    play as play_game,
)
from littlestone.steps import MOST_ANSWERED, answering

T = TypeVar("T")

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
            help="tree (forces the most mistakes), random, or a CSV file of columns and a label."
        ),
    ] = "tree",
    rounds: Annotated[
        int | None,
        typer.Option(min=0, help="The most rounds to play; by default 20 against random."),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="Play with several labels, such as 'on time,late,cancelled'."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat the random adversary's choices.")] = None,
    schema: SchemaOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Play the online game round by round: an adversary asks, and a learner predicts.

    The standard optimal algorithm (soa) makes at most as many mistakes as the Littlestone dimension.
    With --labels, CLASS has several labels or is a table of label numbers.
    """
    rng = None if seed is None else random.Random(seed)
    H = class_or_file(what, labels, opened_schema(schema))
    player = _named("learner", learner, _LEARNERS)(H)
    opponent = _adversary(adversary, H, rng)
    bound = "Littlestone dimension" if H.labels == 2 else "multiclass Littlestone dimension"
    if rounds is None and opponent.endless:
        rounds = 20
    with answering(MOST_ANSWERED if adversary == "tree" else None):
        transcript = play_game(player, opponent, rounds=rounds)
    table = transcript.table(H.domain.words)
    dimension = H.littlestone_dimension()
    if as_json:
        print_json(
            {
                "class": str(H),
                bound.lower().replace(" ", "_"): finite_or_text(dimension),
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
        f"the {bound} of {H} is {dimension}"
    )
    if transcript.interrupted:
        raise typer.Exit(130)


def _named(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The learner or adversary of that name."""
    if name not in known:
        raise no_such(f"play with the {kind} {name!r}", kind, name, known)
    return known[name]


def _adversary(name: str, H: HypothesisClass[Any], rng: random.Random | None) -> Adversary[Any]:
    if name == "tree":
        return TreeAdversary(H)
    if name == "random":
        return RandomAdversary(H, rng=rng)
    if not Path(name).is_file():
        raise DeclarationError(
            f"play against the adversary {name!r}",
            found="there is neither such an adversary nor such a file",
            fix="use tree, random, or a CSV file of the columns of the class and a label",
        )
    return FileAdversary(name, H)
