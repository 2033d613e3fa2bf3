"""``littlestone theory tree``, ``decompose`` and ``play``.

Nothing else draws these two trees of a class, or shows who wins the game, round by round.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError, did_you_mean, no_such
from littlestone.base.work import MOST_ANSWERED, answering
from littlestone.classes import FiniteClass, HypothesisClass
from littlestone.classes.text.table_file import BinaryTable
from littlestone.cli.classes import class_or_file, table_or_class, title_of
from littlestone.cli.console import (
    count_noun,
    finite_or_text,
    out,
    print_columns,
    print_json,
    print_table,
)
from littlestone.cli.dim import reason_to_stop, solve
from littlestone.cli.options import Levels, Seconds
from littlestone.data import label_names
from littlestone.data.sample import Sample
from littlestone.dimension.tables import PackedTable
from littlestone.learn import Release
from littlestone.learn.declared.declaring import open_schema
from littlestone.pictures.canvas import suffix_of
from littlestone.pictures.tree import Node, rule_tree
from littlestone.points.labels import check_labels
from littlestone.rules import Hypothesis
from littlestone.rules.sheet import ScoreSheet
from littlestone.show.files import DRAWINGS, DRAWN, PAGE, require_different, reserve
from littlestone.show.pages.game import (
    DECOMPOSITION,
    MISTAKES,
    MOST_HYPOTHESES,
    MOST_POINTS,
    RULE,
    game_page,
    walk_page,
)
from littlestone.show.tree import (
    class_tree,
    decomposition_drawing,
    drawable,
    drawing_of_release,
    print_rule,
    table_tree,
    terminal,
)
from littlestone.theory.decomposition import (
    Decompositions,
    DecompositionTree,
    TooLargeError,
    certain_hypotheses,
)
from littlestone.theory.decomposition import (
    decompose as greedy,
)
from littlestone.theory.decomposition.tree_search import depth_parameter
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


def tree(
    what: str,
    picture: Path | None = None,
    levels: Levels = 4,
    time_limit: Seconds = None,
    memory_limit: Annotated[float, typer.Option(min=0)] = 8,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Draw a tree of questions: an adversary can force one mistake at each of its levels.

    Each question is a point, and its branches are the labels 0 and 1.  Each end is a hypothesis that
    gives every label on the way to it.  If a model is given, its rule is drawn; --out shows each
    condition on the range or list that its column declares.  A page shows one question after the
    other, with the Littlestone dimension and the size of each version space.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s, a class, such as 'thresholds(x, 1..7)', or
        a model (.json) whose rule is a tree or a score sheet.
    picture --out: Draw to this .svg or .png file instead, or to an .html page to walk in.
    levels: Draw this many levels of the tree of a table or class.
    time_limit SECONDS: Stop searching after this time, and draw the best tree found.
    memory_limit GIB: Working memory for a table, in GiB.
    """
    kind = None if picture is None else suffix_of(picture, DRAWN)
    require_different({"the table": [what], "the schema": [schema], "--out": [picture]})
    with reserve(picture, DRAWINGS[kind]) if picture and kind else nullcontext() as write:
        shown = status = ""
        if what.endswith(".json"):
            release = Release.load(what)
            if isinstance(release.hypothesis, ScoreSheet) and kind != "html" and not as_json:
                if write is None or kind is None:
                    print_rule(release, out.print)
                    return
                write(drawing_of_release(release).content(kind))
                out.print(f"drawn to {picture}")
                return
            root = rule_tree(drawable(release), release.labels)
            content, walk = partial(drawing_of_release, release), RULE
            title = content().title
        else:
            H = table_or_class(what, open_schema(schema))
            root, depth, status = _draw_tree(
                H, levels, time_limit, memory_limit, spaces=kind == "html"
            )
            shown = f"the top {levels} of {depth} levels" if levels < depth else ""
            walk, title = MISTAKES, title_of(what)
            content = partial(root.picture, f"Mistake tree of {title}{shown and f' ({shown})'}")
        if write is not None and kind is not None:
            if kind == "html":
                write(walk_page(root, walk, title, title_of(what)))
            else:
                write(content().content(kind))
        elif not as_json:
            out.print(terminal(root))
    if as_json:
        told = {"levels": shown} if shown else {}
        print_json({"tree": _json(root), **told, **({"stopped": status} if status else {})})
    elif shown:
        out.print(f"{shown}; --levels draws up to 8")
    if picture is not None and not as_json:
        out.print(f"drawn to {picture}")
    if status and not as_json:
        out.print(f"{status}: there may be a deeper tree")
    if status == "interrupted":
        raise typer.Exit(130)


def _json(node: Node) -> dict[str, object]:
    """A node as plain JSON values: its text, and the nodes after its labels."""
    after = {str(label): _json(below) for label, below in node.after}
    return {"text": node.text, "after": after} if after else {"text": node.text}


def _draw_tree(
    H: BinaryTable | HypothesisClass[Any],
    levels: int,
    time_limit: float | None,
    memory_limit: float,
    *,
    spaces: bool,
) -> tuple[Node, int, str]:
    """The drawing, the depth of the whole tree, and what stopped the search for a deeper one.

    The nodes of a table have their version spaces if ``spaces`` says so.
    """
    if not isinstance(H, BinaryTable):
        return class_tree(H, levels), int(H.littlestone_dimension()), ""
    table = PackedTable.pack(H.values)
    bounds = solve(table, time_limit=time_limit, memory_limit=memory_limit)
    whole = FiniteClass.from_table(H) if spaces else None
    root = table_tree(bounds.tree, H.domain.points, H.hypotheses, levels, whole)
    return root, bounds.lower, reason_to_stop(bounds)


_LISTED = 12  # hypotheses


def decompose(
    what: str,
    p: int = 1,
    d: int | None = None,
    picture: Path | None = None,
    levels: Levels = 4,
    schema: Path | None = None,
    as_json: bool = False,
) -> None:
    """Print the (p, d)-decomposition dimension, an optimal tree and essential hypotheses.

    The tree cuts the class into version spaces that few points cannot reduce.  A hypothesis is
    essential if every optimal tree has it as the standard optimal algorithm of a largest version
    space.  If the class is too large for the exact search, bounds and the greedy tree are printed.

    what FILE-or-CLASS: A CSV or .npy table of 0s and 1s, or a class, such as 'points(dest)'.
    p: A leaf of Littlestone dimension d is one that no p points reduce.
    d: At least the Littlestone dimension, which is the default.
    picture --out: Draw to this .svg or .png file instead, or to an .html page to walk in.
    levels: Draw this many levels.
    """
    kind = None if picture is None else suffix_of(picture, DRAWN)
    require_different({"the table": [what], "the schema": [schema], "--out": [picture]})
    with reserve(picture, DRAWINGS[kind]) if picture and kind else nullcontext() as write:
        H = class_or_file(what, schema=open_schema(schema))
        d = depth_parameter(H, p, d)
        tree, settled, essential = _solve(H, p, d)
        root = decomposition_drawing(tree, H, levels)
        title = f"({p}, {d})-decomposition of {title_of(what)}"
        if write is not None and kind is not None:
            if kind == "html":
                write(walk_page(root, DECOMPOSITION, title, title_of(what)))
            else:
                write(root.picture(title).content(kind))
    shown = [f.words() for f in essential[:_LISTED]]
    if as_json:
        print_json(
            {
                "decomposition_dimension": tree.degree if settled else None,
                "upper": tree.degree,
                "leaves": sum(1 for _ in tree.leaves()),
                "essential": len(essential) if settled else None,
                "first_essential": shown,
            }
        )
        return
    if write is None:
        out.print(terminal(root))
    relation = "=" if settled else "<="
    leaves = count_noun(sum(1 for _ in tree.leaves()), "leaf").replace("leafs", "leaves")
    out.print(f"({p}, {d})-decomposition dimension {relation} {tree.degree}, {leaves}")
    known = "" if settled else "at least "
    out.print(f"essential: {known}{len(essential)}")
    print_columns([[words] for words in shown], indent=2)
    if len(essential) > _LISTED:
        out.print(f"  ... {len(essential) - _LISTED:,} more")
    if picture is not None:
        out.print(f"drawn to {picture}")


def _solve(
    H: HypothesisClass[Any], p: int, d: int
) -> tuple[DecompositionTree[Any], bool, list[Hypothesis[Any]]]:
    """A tree, whether it is optimal and the list is complete, and the essential hypotheses."""
    dimension = H.littlestone_dimension()
    with answering():
        # The greedy tree is found at once and often has the least possible degree.
        try:
            tree = greedy(H, p, d)
        except TooLargeError as error:
            raise TooLargeError(
                f"find the ({p}, {d})-decomposition dimension of {H}",
                found=f"it was to {error.asked}, and {error.found}; the dimension is between 0 and "
                f"{dimension}, the Littlestone dimension",
                fix="declare a smaller class, or smaller numbers",
            ) from error
        if tree.degree == 0:  # then its leaves are all hypotheses, and all are essential
            return tree, True, tree.hypotheses()
        certain = certain_hypotheses(tree)
        if len(certain) == len(tree.hypotheses()):
            return tree, True, certain
        try:
            search = Decompositions(p, d)
            return search.tree(H), True, search.essential(H)
        except TooLargeError:
            return tree, False, certain


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
