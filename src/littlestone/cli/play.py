"""``littlestone theory play``: nothing else shows who wins the game, round by round."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, did_you_mean, no_such
from littlestone.base.work import MOST_ANSWERED, answering
from littlestone.classes import HypothesisClass
from littlestone.cli.classes import class_or_file, title_of
from littlestone.cli.console import count_noun, finite_or_text, out, print_json, print_table
from littlestone.data import label_names
from littlestone.data.sample import Sample
from littlestone.learn.declared.declaring import open_schema
from littlestone.pictures.canvas import suffix_of
from littlestone.points.labels import check_labels
from littlestone.show.files import PAGE, require_different, reserve
from littlestone.show.pages.game import MOST_HYPOTHESES, MOST_POINTS, game_page
from littlestone.theory.game import (
    Adversary,
    AgnosticExperts,
    FileAdversary,
    Player,
    RandomAdversary,
    RandomizedLearner,
    TreeAdversary,
)
from littlestone.theory.game import (
    play as play_game,
)

T = TypeVar("T")


def _learners() -> dict[str, type[Player[Any]]]:
    kinds: list[type[Any]] = concrete(Player, "littlestone.theory.game")
    return {kind.method: kind for kind in kinds if kind.method}


def play(
    what: str,
    learner: str = "soa",
    adversary: str = "tree",
    rounds: Annotated[int | None, typer.Option(min=0)] = None,
    labels: str | None = None,
    seed: int | None = None,
    schema: Path | None = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write an .html page on which you play yourself, for up to "
            f"{MOST_HYPOTHESES} hypotheses on {MOST_POINTS} points.",
        ),
    ] = None,
    as_json: bool = False,
) -> None:
    """Play the online game round by round: an adversary asks, and a learner predicts.

    The standard optimal algorithm (soa) makes at most as many mistakes as the Littlestone dimension.
    The learner agnostic draws its predictions, and is compared with the best hypothesis.
    With --labels, CLASS has several labels or is a table of label numbers.

    what CLASS-or-FILE: A class, such as 'points(id)', or a table of 0s and 1s.
    learner: soa, halving, randomized (tables only), or agnostic for labels that nothing fits.
    adversary: tree (forces the most mistakes), random, or a CSV file of columns and a label.
    rounds: The most rounds to play; by default 20 against random.
    labels: Play with several labels, such as 'on time,late,cancelled'.
    seed: Seed of the random adversary, to repeat its choices.
    """
    if page is not None:
        if (learner, adversary, rounds, seed, as_json) != ("soa", "tree", None, None, False):
            raise typer.BadParameter(
                "on a page you play yourself: leave out --learner, --adversary, --rounds, --seed "
                "and --json",
                param_hint="--out",
            )
        _write_page(what, labels, schema, page)
        return
    rng = None if seed is None else random.Random(seed)
    H = class_or_file(what, labels, open_schema(schema))
    kind = _pick_by_name("learner", learner, _learners())
    opponent = _adversary(adversary, H, rng)
    bound = "Littlestone dimension" if H.labels == 2 else "multiclass Littlestone dimension"
    if rounds is None and opponent.endless:
        rounds = 20
    player = kind.make(H, rounds=rounds)
    with answering(MOST_ANSWERED if adversary == "tree" else None):
        transcript = play_game(player, opponent, rounds=rounds)
    table = transcript.table(H.domain.words)
    dimension = H.littlestone_dimension()
    played = [(turn.x, turn.y) for turn in transcript.rounds]
    best = H.least_errors(Sample.from_examples(H.domain, played, labels=H.labels)) if played else 0
    if as_json:
        print_json(
            {
                "class": str(H),
                bound.lower().replace(" ", "_"): finite_or_text(dimension),
                "rounds": table,
                "mistakes": transcript.mistakes,
                "mistakes_of_the_best_hypothesis": best,
                "interrupted": transcript.interrupted,
            }
        )
        return
    if table:
        print_table(list(table[0]), [list(row.values()) for row in table])
    out.print(
        f"{count_noun(transcript.mistakes, 'mistake')} in {count_noun(len(table), 'round')}"
        f"{', interrupted' if transcript.interrupted else ''}; "
        f"the {bound} of {H} is {dimension}"
    )
    if isinstance(player, AgnosticExperts):
        out.print(
            f"the best hypothesis makes {best}; on average over its draws, the learner makes at most "
            f"{player.regret_bound:.1f} more in {count_noun(player.horizon, 'round')}"
        )
    if isinstance(player, RandomizedLearner):
        out.print(
            f"its expected mistakes here are {player.expected_mistakes}; no adversary makes them more "
            f"than {player.mistake_bound}, the randomized Littlestone dimension"
        )
    if transcript.interrupted:
        raise typer.Exit(130)


def _write_page(what: str, labels: str | None, schema: Path | None, page: Path) -> None:
    suffix_of(page, ("html",))
    require_different({"the table": [what], "the schema": [schema], "--out": [page]})
    with reserve(page, PAGE) as write:
        H = class_or_file(what, labels, open_schema(schema))
        names = () if labels is None else check_labels(label_names(labels))
        write(game_page(H, title_of(what), title_of(what), names))
    out.print(f"written to {page}")


def _pick_by_name(kind: str, name: str, known: Mapping[str, T]) -> T:
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
            fix=did_you_mean(
                name,
                ("tree", "random"),
                "use tree, random, or a CSV file of the columns of the class and a label",
            ),
        )
    return FileAdversary(name, H)
