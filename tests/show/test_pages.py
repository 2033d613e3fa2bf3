"""Pages say what the release says, in public words, and nothing else."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from math import exp
from pathlib import Path

import pytest

import littlestone
from example_pages import HOSTILE, RULES, release, run_lines, spent, variants
from littlestone.base.errors import DeclarationError, ModelError
from littlestone.base.markup import Html, join, tag
from littlestone.learn import Release
from littlestone.learn.results.accuracy import Group
from littlestone.learn.results.estimate import BETA, interval
from littlestone.points.units import Unit
from littlestone.privacy.cost import PrivacyCost, decimal_text, round_up
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.show.pages.budget import (
    _BEFORE,
    AUTHOR,
    TITLE,
    ledger_page,
    one_person,
    posterior,
)
from littlestone.show.pages.release import again, release_page
from littlestone.show.pages.stream import Run, stream_page
from littlestone.show.tree import drawing_of_release, picture_of_release
from littlestone.show.words import NOT_ESTIMATED, OPTIONS, factor, not_estimated, rows_of_release

ROOT = Path(littlestone.__file__).parent
VARIANTS = variants()


class Reader(HTMLParser):
    """The text, the tags and the attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.texts = set[str](), list[str]()
        self.attributes = set[str]()
        self._style = False
        self.feed(page)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(name)
        self._style = name == "style"
        self.attributes |= {key for key, _ in attributes}
        self.texts += [text or "" for key, text in attributes if key in ("aria-label", "title")]

    def handle_endtag(self, name: str) -> None:
        self._style = False

    def handle_data(self, text: str) -> None:
        self.texts += [] if self._style else [text]


def words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"\w+(?:[.,]\w+)*%?", text)}


def constants(*places: str) -> set[str]:
    """The words of all texts that stand in modules."""
    files = [file for place in places for file in sorted(ROOT.glob(place))]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return words(str(node.value) for node in nodes if isinstance(node.value, str))


TEMPLATE = constants(
    "show/pages/*.py",
    "show/words.py",
    "pictures/*.py",
    "learn/results/accuracy.py",
    "learn/results/release.py",
    "learn/results/estimate.py",
    "learn/results/quality.py",
    "privacy/cost.py",
    "rules/*.py",
)


def derived(cost: PrivacyCost) -> set[str]:
    """The numbers of a page that follow from the cost alone."""
    found = {factor(cost.epsilon), decimal_text(cost.epsilon), decimal_text(cost.delta)}
    found |= {f"{cost.delta.denominator:,}", littlestone.__version__, "2026", "0", "1", "10", "95%"}
    if cost.epsilon <= 10:
        grown = float(cost.delta) * (1 + exp(cost.epsilon) + exp(2 * cost.epsilon))
        found |= {decimal_text(3 * cost.epsilon), decimal_text(round_up(Fraction(grown), 3))}
        for before in _BEFORE:
            found |= {f"{before}%", *posterior(Decimal(factor(cost.epsilon)), before)}
    return words(found)


def unexplained(page: str, *public: str, cost: PrivacyCost) -> set[str]:
    return words(Reader(page).texts) - TEMPLATE - words(public) - derived(cost)


def of_release(model: Release) -> list[str]:
    """All public texts of a release, with its numbers as people write them."""
    texts = [json.dumps(model.to_json(), ensure_ascii=False), model.words(), f"{model.n:,}"]
    texts += [model.hypothesis.words(), f"{model.units or 0:,}", "No script tag"]
    if model.estimate is not None:
        told = model.estimate
        shares = [told.positive, told.precision, told.recall, told.error]
        found = [share(BETA) for share in shares] + list(told.unread_shares(BETA) or ())
        texts += [interval(share, "0.001") for share in found] + [decimal_text(told.total_epsilon)]
        texts += [f"{20 * i}%" for i in range(6)]
        texts.append(decimal_text(model.cost.epsilon - told.total_epsilon))
    if model.risks is not None and model.quality is not None:
        risks = model.risks
        rows = [*risks.rows(), *model.quality.rows()]
        texts += [text for row in rows for text in row]
        texts += [interval(risks.size(i), "0.001") for i in range(len(risks.places))]
        texts += [place.words for place in risks.places]
        texts += [interval(share, "0.001") for shares in risks.intervals for share in shares]
        texts += [f"{risk:.3f}" for risk in risks.own_rates or ()]
        texts += [f"{20 * i}%" for i in range(6)] + [decimal_text(risks.epsilon)]
    return texts


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in ("hostile", "table")])
def test_every_word_is_public_or_of_the_release(name: str) -> None:
    model = replace(VARIANTS[name], total=None)
    page = release_page(model)
    assert unexplained(page, *of_release(model), cost=model.cost) == set()


def test_a_word_from_elsewhere_is_caught() -> None:
    model = release()
    page = release_page(model).replace("</main>", "<p>12,345 of Smith</p></main>")
    assert unexplained(page, *of_release(model), cost=model.cost) == {"12,345", "Smith"}


def test_a_page_is_that_of_the_model_file() -> None:
    for name, model in VARIANTS.items():
        read = Release.from_json(json.loads(json.dumps(model.to_json())))
        assert release_page(read) == release_page(model), name


@pytest.mark.parametrize("name", VARIANTS)
def test_pages_are_whole_and_hold_no_script(name: str) -> None:
    page = release_page(VARIANTS[name])
    seen = Reader(page)
    assert page.startswith('<!doctype html>\n<!-- littlestone report -->\n<html lang="en">')
    assert not {"script", "img", "link", "a", "iframe", "image", "use"} & seen.tags
    assert not {key for key in seen.attributes if key.startswith("on") or key in ("src", "href")}
    assert "default-src &#x27;none&#x27;" in page
    assert "\u202e" not in page
    headings = re.findall(r"<h(\d)>", page)
    assert headings[0] == "1"
    assert headings.count("1") == 1
    assert all(int(b) - int(a) <= 1 for a, b in pairwise(headings))
    assert page.count("<svg") == len(
        re.findall(r"<svg [^>]*role=\"img\"[^>]*><title>[^<]+</title>", page)
    )
    assert ("NOT PRIVATE" in page) is (name == "simulated")


@pytest.mark.parametrize("epsilon", range(1, 15))
def test_every_epsilon_has_a_page(epsilon: int) -> None:
    """From 7 on, e^epsilon has a comma."""
    page = release_page(release(cost=PrivacyCost(Fraction(epsilon))))
    assert (f"{factor(Fraction(epsilon))} times as high" in page) is (epsilon <= 10)


def test_a_page_and_a_card_say_all_that_was_declared() -> None:
    columns = ", ".join(f"column number {i}" for i in range(200))
    declared = f"conditions({columns}; at most 2)"
    model = release(hypotheses=declared)
    told, card = Reader(release_page(model)), model.card()
    assert "details" in told.tags
    assert declared in told.texts
    assert f"* class: {declared}" in card


def test_a_page_says_what_it_is_about() -> None:
    model = release(label="back == yes")
    assert "<h1>A rule for “back is yes”</h1>" in release_page(model)


def test_without_estimates_a_release_says_that_the_base_rate_is_unknown() -> None:
    model = release()
    told = NOT_ESTIMATED.format(**OPTIONS)
    assert ("base rate", told) in rows_of_release(model, OPTIONS)
    assert told in "".join(Reader(release_page(model)).texts)
    assert "`estimate=0.1` adds" in repr(model)
    assert "see unit=)" in repr(model)
    assert "--" not in repr(model)
    several = replace(model, unit=Unit("patient", 3))  # for which --estimate is refused
    assert dict(rows_of_release(several, OPTIONS))["base rate"] == not_estimated(several)
    assert "`--max-records 1` allows" in "".join(Reader(release_page(several)).texts)
    estimated = dict(rows_of_release(VARIANTS["estimated"]))
    assert "base rate" not in estimated
    assert (
        estimated["positives"]
        == "about 0.419, from 0.410 to 0.429; always predicting 0 errs on as many"
    )
    named = release(RULES["table"], labels=("a", "b"))
    assert ("base rate", told) in rows_of_release(named, OPTIONS)


def test_names_are_shown_as_they_are() -> None:
    texts = "".join(Reader(release_page(VARIANTS["hostile"])).texts)
    assert HOSTILE.replace("\u202e", "\\u202e") in texts


@pytest.mark.parametrize("name", RULES)
def test_most_rules_have_a_picture(name: str) -> None:
    model = release(RULES[name])
    assert (picture_of_release(model) is None) is (name == "table")
    assert ("<figure" in release_page(model)) is (name != "table")
    if name == "table":
        with pytest.raises(DeclarationError, match="rules of its kind have no picture"):
            model.plot()


def test_the_odds_are_those_of_bayes() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(5)):
        for before in _BEFORE:
            most, least = (
                float(text[:-1]) / 100 for text in posterior(Decimal(factor(epsilon)), before)
            )
            odds = before / (100 - before)
            high, low = odds * exp(epsilon), odds / exp(epsilon)
            assert 0 <= most - high / (1 + high) < 0.003
            assert 0 <= low / (1 + low) - least < 0.003


@pytest.mark.parametrize(
    ("delta", "said"),
    [(Fraction(0), "Delta is 0: the bound holds without exception"),
     (Fraction(1, 10**6), "Delta is 0.000001 (1 in 1,000,000): a small chance"),
     (Fraction(3, 10**6), "Delta is 0.000003: a small chance")],
)  # fmt: skip
def test_delta_in_words(delta: Fraction, said: str) -> None:
    text = one_person(PrivacyCost(Fraction(1), delta), "9 records", "this rule", "one record")
    assert said in text
    assert ("apart from delta" in text) is (delta > 0)


def test_the_command_repeats_the_declarations() -> None:
    assert again(release(cost=PrivacyCost(Fraction(1)))) == (
        "littlestone fit TABLE.csv --target ill --positive '== 1' --class 'thresholds(age, 0..120)' "
        "--epsilon 1"
    )
    assert "--target COLUMN --positive CONDITION" in again(release(label="a > b == 1"))
    assert "--labels '\"no, never\",yes'" in again(VARIANTS["named"])
    assert "--unit patient --max-records 3" in again(VARIANTS["unit"])
    assert "--epsilon 0.5 --delta 0.000001 --estimate 0.25" in again(VARIANTS["estimated"])
    assert "--cost 5:1" in again(VARIANTS["costs"])


def test_the_page_of_a_group() -> None:
    costs = MistakeCosts.above("0.3")
    model = replace(VARIANTS["estimated"], mistakes=costs, accuracy="")
    page = release_page(Group(model))
    model = Release.from_json(json.loads(json.dumps(Group(model).to_json())))
    assert model.group
    assert page == release_page(model) == littlestone.page(Group(model)) == littlestone.page(model)
    for said in (
        "sought above a rate of 0.3: age &gt;= 60.",
        "of the records in the group",
        "size",
    ):
        assert said in page
    assert "Mistakes do not all cost" not in page
    assert "recall" not in page
    assert again(model).startswith("littlestone subgroup TABLE.csv")
    assert "--epsilon 0.75 --delta 0.000001 --estimate 0.25 --above 0.3" in again(model)
    for picture in (page, drawing_of_release(model).svg()):
        assert "Orange: the record is in the group" in picture
        assert "The rule" not in picture
    for said in (page, model.card(), repr(model)):
        assert "age &gt;= 60" in said or "age >= 60" in said.replace("\\", "")
        assert not re.search("Predict ill|A rule|^rule  ", said)


def test_the_page_of_a_run_leaves_out_what_is_not_private() -> None:
    lines = run_lines()
    run = Run.of(lines)
    page = stream_page(run)
    public = [line for line in lines if "NOT PRIVATE" not in line]
    ticks = "0 1,000 2,000 3,000 4,000 1 3 Since step 503 705 NOT"
    assert unexplained(page, *public, ticks, cost=run.cost) == set()
    assert "90909" not in page.replace(",", "")
    assert "80808" not in page.replace(",", "")
    assert "NOT PRIVATE" not in page
    assert "NOT PRIVATE" in stream_page(Run.of(run_lines(private=False)))


def test_calls_that_resumed_a_run_make_one_page() -> None:
    lines = run_lines()
    again = [lines[0], *[line for line in lines if '"step": 705' in line]]
    assert stream_page(Run.of([*lines, *again, ""])) == stream_page(Run.of(lines))


def test_the_page_of_a_run_of_units_says_whom_it_protects() -> None:
    header, *lines = run_lines()
    of_units = {"unit": {"column": "door", "max records": 2}}
    run = Run.of([changed(header, neighboring="replace-one-unit: door", **of_units), *lines])
    page = stream_page(run)
    assert "In one, all records of your door are among" in page
    assert "each door with all its records, of which at most 2 records count" in page
    assert "one record of the stream" not in page


def changed(line: str, **more: object) -> str:
    return json.dumps({**json.loads(line), **more})


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [],
        lambda lines: lines[:1],
        lambda lines: lines[1:],
        lambda lines: [*lines, changed(lines[0], epsilon="2")],
        lambda lines: [*lines, changed(lines[1], rule="another")],
        lambda lines: [*lines, "no JSON"],
        lambda lines: [*lines, "[1]"],
        lambda lines: [changed(lines[0], horizon="many"), *lines[1:]],
        lambda lines: [changed(lines[0], horizon=0), *lines[1:]],
        lambda lines: [changed(lines[0], label=7), *lines[1:]],
        lambda lines: [changed(lines[0], mechanism=None), *lines[1:]],
        lambda lines: [*lines, json.dumps({"step": -1, "rule": "x", "hypothesis": {}})],
        lambda lines: [changed(lines[0], unit={"column": "door", "max records": 2}), *lines[1:]],
        lambda lines: [changed(lines[0], neighboring="replace-one-unit: door"), *lines[1:]],
        lambda lines: [changed(lines[0], unit=[1]), *lines[1:]],
        lambda lines: [*lines[:-3], changed(lines[-3], reading={"separator": 5})],
    ],
)  # fmt: skip
def test_other_lines_are_refused(change: object) -> None:
    assert callable(change)
    with pytest.raises(ModelError, match="lines of a stream"):
        Run.of(change(run_lines()))


@pytest.mark.parametrize(
    ("entries", "limit"), [(0, True), (2, True), (2, False), (30, False), (20, True)]
)
def test_the_page_of_a_ledger(tmp_path: Path, entries: int, limit: bool) -> None:
    path = spent(tmp_path / "l", entries=entries, limit=limit)
    with Ledger(path) as ledger:
        both, one = ledger_page(ledger, "l"), ledger_page(ledger, "l", "census")
        with pytest.raises(DeclarationError, match="not this one"):
            ledger_page(ledger, "l", "other")
        assert "<script" not in (html := ledger._repr_html_())
        assert "census" in html
    assert "<script" not in both
    assert ("More than the limit is spent" in both) is (entries == 20)
    assert ("30 entries" in both) is (entries == 30)
    assert ("Nothing is spent yet" in both) is (entries == 0)
    assert "script" not in one
    assert "factor of at most 2.72" in one


def test_the_budget_of_a_release_is_that_of_its_ledger(tmp_path: Path) -> None:
    with Ledger(spent(tmp_path / "l")) as ledger:
        (entry,) = ledger.entries("census")
        model = release(cost=entry.cost, mechanism=entry.mechanism, receipt=entry.number)
        page = release_page(model, ledger)
        assert "this release" in page
        assert "look 0" not in page
        assert littlestone.page(model, ledger=ledger) == page
        with pytest.raises(DeclarationError, match="no such entry"):
            release_page(replace(model, receipt=1), ledger)


def test_the_citation_is_that_of_the_repository() -> None:
    citation = (ROOT.parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{TITLE}"' in citation
    assert f'name: "{AUTHOR}"' in citation
    assert f"author = {{{{{AUTHOR}}}}}" in release_page(release())


def test_nothing_but_markup_passes_unescaped() -> None:
    assert tag("p", "<b>", Html("<i>"), class_='"') == '<p class="&quot;">&lt;b&gt;<i></p>'
    assert join(["<", Html("<")]) == "&lt;<"
