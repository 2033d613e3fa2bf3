"""The page of `littlestone verify`: what was stated and measured, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from littlestone.markup import Html, joined, tag
from littlestone.report.pages.frame import command, facts, note, page, said, section, table, warning
from littlestone.verify.catalogue import number_of, title_of
from littlestone.verify.statement import Trial, Verdict


def statements_page(verdicts: Sequence[Verdict], trial: Trial) -> str:
    """The page of these verdicts, in their order, which is that of the papers."""
    failing = [verdict for verdict in verdicts if not verdict.holds]
    hold = f"{len(verdicts) - len(failing):,} of {len(verdicts):,}"
    head = [
        facts(
            [
                ("statements that hold", hold),
                ("samples", "the usual ones" if trial.seed is None else f"seed {trial.seed}"),
                ("families", "large" if trial.deep else "small"),
            ]
        )
    ]
    if failing:
        names = "; ".join(verdict.statement.name for verdict in failing)
        head.append(warning(f"These fail: {names}"))
    sections = [
        section(title, _rows(list(group), title))
        for title, group in groupby(verdicts, key=lambda verdict: title_of(verdict.statement))
    ]
    sections.append(section("How to read it, and how to run it again", *_explained(trial)))
    return page("Theorems, run", "Verification", head, sections, "the code of this version")


def _rows(verdicts: list[Verdict], title: str) -> Html:
    return table(
        ["", "statement", "stated", "measured"],
        (
            [
                "holds" if verdict.holds else tag("strong", "FAILS"),
                _statement(verdict),
                verdict.outcome.stated,
                verdict.outcome.measured,
            ]
            for verdict in verdicts
        ),
        title,
        class_="entries",
    )


def _statement(verdict: Verdict) -> Html:
    of = verdict.statement
    named = tag("strong", number_of(of))
    return joined(
        [
            tag("div", named, f" ({of.found})"),
            tag("div", of.says),
            tag("div", f"On: {of.scope}", class_="note"),
        ]
    )


def _explained(trial: Trial) -> list[Html]:
    seed = "" if trial.seed is None else f" --seed {trial.seed}"
    return [
        said(
            "Each line runs a statement of a paper, or what replaces it, on the cases named after "
            '"On". It holds if all that was measured is as stated. A line may state that a lemma is '
            "false; it then holds if the lemma fails."
        ),
        command(f"littlestone verify{seed}{' --deep' if trial.deep else ''}"),
        note(
            "A line that holds is no proof. The map of theorems in the documentation says where the "
            "proof of each statement is, and which statements no line runs."
        ),
    ]
