"""The page of `littlestone verify`: what was stated and measured, statement by statement."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import groupby

from littlestone.markup import Html, joined, tag
from littlestone.report.pages.frame import command, facts, note, page, said, section, table, warning
from littlestone.verify.catalogue import number_of, title_of
from littlestone.verify.statement import Trial, Verdict, tally


def statements_page(verdicts: Sequence[Verdict], trial: Trial, chosen: Sequence[str] = ()) -> str:
    """The page of these verdicts, in their order, which is that of the papers.

    ``chosen`` are the words of the command by which they were chosen.
    """
    failing = [verdict for verdict in verdicts if not verdict.holds]
    head = [
        facts(
            [
                ("verdicts", tally(verdicts)),
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
    sections.append(section("How to read it, and how to run it again", *_explained(trial, chosen)))
    return page("Theorems, run", "Verification", head, sections, "the code of this version")


def _rows(verdicts: list[Verdict], title: str) -> Html:
    marks = (Html(v.mark) if v.holds else tag("strong", v.mark) for v in verdicts)
    return table(["", "statement"], zip(marks, map(_statement, verdicts), strict=True), title)


def _statement(verdict: Verdict) -> Html:
    of, found = verdict.statement, verdict.outcome
    return joined(
        [
            tag("div", tag("strong", number_of(of)), f" ({of.found}): {of.says}"),
            tag("div", f"On: {verdict.scope}", class_="note"),
            tag("div", f"Stated: {found.stated}"),
            tag("div", f"Measured: {found.measured}"),
        ]
    )


def _explained(trial: Trial, chosen: Sequence[str]) -> list[Html]:
    seed = () if trial.seed is None else ("--seed", str(trial.seed))
    words = ["littlestone", "verify", *chosen, *seed, *(["--deep"] if trial.deep else [])]
    return [
        said(
            "Each line runs a statement of a paper, or what replaces it, on the cases named after "
            '"On". It holds if all that was measured is as stated. A line marked "false" shows that '
            "a statement fails as the paper has it."
        ),
        command(shlex.join(words)),
        note(
            "A line that holds is no proof. The map of theorems in the documentation says where the "
            "proof of each statement is, and which statements no line runs."
        ),
    ]
