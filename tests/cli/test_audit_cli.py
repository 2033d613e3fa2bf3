"""``littlestone audit``: claims beside facts, a status for a refuted claim, errors for bad requests."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from running import run

from littlestone.prove.audit import find_subject, find_subjects
from littlestone.prove.audit.subject import SubjectMaker
from littlestone.prove.audit.subjects.composed import RandomizedResponse

RESPONSE = ("audit", "randomized-response", "--epsilon", "1", "--trials", "400", "--seed", "1")


def test_a_claim_beside_what_is_exact_and_measured() -> None:
    ran = run(*RESPONSE)
    assert (ran.status, ran.err) == (0, "")
    line = next(line for line in ran.out.splitlines() if line.startswith("epsilon at delta 0"))
    *_, claimed, exact, _, measured, verdict = line.split()
    assert (claimed, exact, verdict) == ("1", "1", "holds")
    assert 0.5 < float(measured) <= 1


def test_json_says_the_same() -> None:
    data = json.loads(run(*RESPONSE, "--json").out)
    assert data["holds"] is True
    assert data["claim"] == {"epsilon": "1", "delta": "0", "neighboring": "replace-one"}
    assert data["exact"]["tightness"] == pytest.approx(1)
    assert all(row["holds"] for row in data["exact"]["rows"])
    assert 0.5 < data["measured"]["epsilon at least"] <= 1
    assert "measured" not in json.loads(run(*RESPONSE[:4], "--trials", "0", "--json").out)


def test_a_refuted_claim_has_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(epsilon: Fraction, delta: Fraction) -> object:
        honest = find_subject("randomized-response").make(2 * epsilon, delta)
        return replace(honest, event=RandomizedResponse(epsilon))

    named = SubjectMaker("randomized-response", "claims half of its epsilon", make, {})  # type: ignore[arg-type]
    monkeypatch.setattr("littlestone.cli.verify.find_subject", lambda name: named)
    ran = run(*RESPONSE)
    assert ran.status == 1
    assert sum(line.endswith("FAILS") for line in ran.out.splitlines()) >= 4
    assert json.loads(run(*RESPONSE, "--json").out)["holds"] is False


def test_the_list_names_every_subject() -> None:
    listed = run("audit", "--list").out
    assert all(named.name in listed for named in find_subjects())
    assert set(json.loads(run("audit", "--list", "--json").out)) == {
        named.name for named in find_subjects()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit",), "--list"),
        (("audit", "nothing", "--epsilon", "1"), "there is no such subject"),
        (("audit", "randomized-response"), "--epsilon"),
        (("audit", "randomized-response", "--epsilon", "0"), "greater than 0"),
        (("audit", "randomized-response", "--epsilon", "1", "--trials", "1"), "at least 2"),
        (("audit", "randomized-response", "--epsilon", "1", "--confidence", "1"), "strictly"),
    ],
)
def test_bad_requests(arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert message in ran.err
