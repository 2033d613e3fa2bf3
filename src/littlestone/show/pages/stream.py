"""The page of a private run over a stream, made from the lines that `littlestone stream` printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from littlestone.base.disk import MOST_BYTES, parse_json
from littlestone.base.errors import DAMAGED, ModelError, shorten
from littlestone.base.markup import Html, tag
from littlestone.data.forms import Reading
from littlestone.learn import Release
from littlestone.pictures.chart import Publication, publications
from littlestone.pictures.tree import rule_picture
from littlestone.points.units import Unit
from littlestone.privacy.cost import (
    NeighboringRelation,
    PrivacyCost,
    decimal_text,
    exact,
    exact_delta,
)
from littlestone.privacy.ledger import Ledger
from littlestone.rules import Hypothesis
from littlestone.show.pages.budget import budget, citing, one_person
from littlestone.show.pages.frame import (
    facts,
    figure,
    list_rows,
    note,
    page,
    prose,
    section,
    table,
    warning,
)
from littlestone.show.pages.release import SIMULATION, prediction

_BEGIN = b'{"private": '  # of a header
_TEXTS = ("class", "label", "method", "mechanism")  # what a header says in words


@dataclass(frozen=True)
class Run:
    """What a run has published: its declarations, and its rules in the order of their steps.

    ``reading`` says how the cells that the last rule tests are written.
    """

    declared: Mapping[str, Any]
    cost: PrivacyCost
    published: tuple[tuple[Publication, Hypothesis[Any]], ...]
    unit: Unit | None = None
    reading: Reading = field(default_factory=Reading)

    @property
    def release(self) -> Release:
        """The last rule as a release of all records up to the horizon, for what applies a rule."""
        declared = self.declared
        return Release(
            hypothesis=self.published[-1][1],
            hypotheses=declared["class"],
            label=declared["label"],
            n=declared["horizon"],
            cost=self.cost,
            mechanism=declared["mechanism"],
            private=declared["private"] is True,
            receipt=declared["ledger entry"],
            unit=self.unit,
            spanning="record" in declared,
            reading=self.reading,
        )

    @classmethod
    def load(cls, path: Path) -> Run | None:
        """The run whose lines are in a file; None for any other file.  Raises `ModelError`."""
        try:
            with path.open("rb") as file:
                if file.read(len(_BEGIN)) != _BEGIN:
                    return None
                text = (_BEGIN + file.read(MOST_BYTES)).decode()
        except (OSError, UnicodeDecodeError):
            return None
        return cls.of(text.split("\n"))

    @classmethod
    def of(cls, lines: Iterable[str]) -> Run:
        """The run of the printed lines, of one call or of several that resumed it.

        Lines marked NOT PRIVATE are left out: they hold predictions and mistakes.  Raises `ModelError`
        for other lines, for damaged ones and for lines of two runs.
        """
        try:
            read = [parse_json(line) for line in lines if line.strip()]
        except ValueError:
            raise _stream_error("a line is not JSON, as lines of a stream and models are") from None
        try:
            public = [line for line in read if not line.get("NOT PRIVATE")]
            headers = [line for line in public if "horizon" in line]
            rules = {line["step"]: line for line in public if "step" in line}
            first = headers[0]
            same = all(line == rules[line["step"]] for line in public if "step" in line)
            if not same or any(header != first for header in headers):
                raise _stream_error("they are of two runs")
            relation = NeighboringRelation(first["neighboring"])
            cost = PrivacyCost(
                exact(first["epsilon"], what="epsilon"), exact_delta(first["delta"]), relation
            )
            published = tuple(
                (
                    Publication(_step(step), str(line["rule"])),
                    Hypothesis.from_json(line["hypothesis"]),
                )
                for step, line in sorted(rules.items())
            )
            unit = first.get("unit")
            protected = None if unit is None else Unit(unit["column"], unit["max records"])
            if relation.unit != (protected and protected.column):
                raise ValueError
            reading = Reading.from_json(rules[max(rules)].get("reading", {}))
            if not published or _step(first["horizon"]) < 1 or _step(first["ledger entry"]) < 1:
                raise ValueError
            if not all(isinstance(first[name], str) for name in _TEXTS):
                raise ValueError
        except ModelError:
            raise
        except (*DAMAGED, AttributeError, RecursionError):
            raise _stream_error("a line is missing or damaged") from None
        return cls(first, cost, published, protected, reading)


def _step(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _stream_error(found: str) -> ModelError:
    return ModelError(
        "read the lines of a stream",
        found=found,
        fix="give the lines that `littlestone stream` printed for one run, or a model of "
        "`littlestone fit --out`, unchanged",
    )


def stream_page(run: Run, ledger: Ledger | None = None) -> str:
    """The page of a run, from its published lines alone; with its ``ledger``, the whole budget too.

    Raises `DeclarationError` if the ledger has no entry that paid for the run.
    """
    declared, label = run.declared, run.declared["label"]
    last, rule = run.published[-1]
    said_last = f"Since step {last.step:,}: {prediction(last.words, label)}"
    head = [] if declared["private"] is True else [warning(SIMULATION)]
    head += [tag("p", said_last, class_="rule"), facts(_numbers(run))]
    sections = [
        section("The rules over time", *_rules(run, rule, label)),
        section("What the guarantee means for one person", _promise(run)),
        section("How good is it?", *_accuracy(run)),
        section("Budget", *_budget(run, ledger)),
        section("How to reproduce it", *_reproduce(run)),
        citing(_citation(run), run.cost, declared["mechanism"]),
    ]
    source = "the published lines" if ledger is None else "the published lines and the ledger"
    kind = "Private stream" if declared["private"] is True else "Simulated stream"
    return page(label, kind, head, sections, source)


def _numbers(run: Run) -> list[tuple[str, str]]:
    return [
        ("epsilon", decimal_text(run.cost.epsilon)),
        ("delta", decimal_text(run.cost.delta)),
        ("horizon in records", f"{run.declared['horizon']:,}"),
        ("rules published", f"{len(run.published):,}"),
    ]


def _rules(run: Run, rule: Hypothesis[Any], label: str) -> list[Html]:
    shown = [publication for publication, _ in run.published]
    chart = publications(shown, run.declared["horizon"], "Published rules over the whole stream")
    caption = "When each rule was published, on the whole stream from step 0 to the horizon."
    parts = [
        prose(f"The rules are of a declared class, {shorten(str(run.declared['class']))}."),
        figure(chart.picture(), caption, chart=True),
    ]
    picture = rule_picture(rule, label, [], "")
    if picture is not None:
        parts.append(figure(picture, "The last rule. All of it is public, and no record is shown."))
    if len(shown) > 1:
        rows = [[f"{p.step:,}", p.words] for p in shown]
        parts.append(table(["from step", "rule"], rows, "Published rules"))
    return parts


def _promise(run: Run) -> Html:
    among = f"the up to {run.declared['horizon']:,} records of the stream"
    spans = " (which may span lines of the file)" if "record" in run.declared else ""
    several = (
        f"one record of the stream{spans}, whatever the number of rules that are published; a person "
        "with several records is protected less"
    )
    if run.unit is not None:
        several = (
            f"each {run.unit.column} with all its records{spans}, of which {run.unit.records} count; "
            "how many there are and at which steps they come is public"
        )
    what = "the sequence of published rules"
    return one_person(run.cost, among + spans, what, several)


def _accuracy(run: Run) -> list[Html]:
    return [
        prose(f"The method, and what is known about its mistakes: {run.declared['method']}."),
        note(
            "Clean labels means that some rule of the class makes no mistake on the stream. The "
            "mistakes that were made on this stream are not part of the release."
        ),
    ]


def _budget(run: Run, ledger: Ledger | None) -> list[Html]:
    number = run.declared["ledger entry"]
    cost = prose(
        f"The whole stream cost {run.cost}, however many rules it publishes. Entry {number} of the "
        "ledger paid for it before the first record."
    )
    unknown = [note("The ledger shows what else was spent on this stream: give it as --ledger.")]
    return [cost, *budget(ledger, number, run.cost, run.declared["mechanism"], unknown)]


def _reproduce(run: Run) -> list[Html]:
    names = ("label", "class", "horizon", "mechanism", "method", "ledger entry")
    rows = [(name, shorten(str(run.declared[name]))) for name in names]
    return [
        prose(
            "The published rules are fixed, and anybody may apply them. ",
            "The draws cannot be repeated, because their randomness is kept nowhere public. "
            if run.declared["private"] is True
            else "Whoever knows the seed can repeat the draws. ",
            "A new run costs a new budget and may publish other rules. It has these declarations:",
        ),
        list_rows([*rows, ("privacy", str(run.cost))]),
    ]


def _citation(run: Run) -> str:
    last = run.published[-1][0]
    return (
        f"{len(run.published)} rules for {run.declared['label']} over a stream of up to "
        f"{run.declared['horizon']:,} records, the last from step {last.step:,}: {last.words}. Ledger "
        f"entry {run.declared['ledger entry']}"
    )
