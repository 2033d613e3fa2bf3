"""All doors: each form of a table, each learner and each shell, found by walking the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from typing import Any

from doors import (
    Command,
    Door,
    Form,
    Function,
    csv,
    duckdb,
    front_fit,
    front_subgroup,
    gz,
    pandas_numbers,
    pandas_objects,
    pandas_texts,
    parquet_file,
    scikit_fit,
    sqlite,
    without_rules,
)  # fmt: skip

from declaring import choose_task
from littlestone.base.discovery import concrete
from littlestone.base.errors import DeclarationError
from littlestone.data import Label
from littlestone.learn import PrivateLearner
from littlestone.learn.declared.declaring import declare_class
from littlestone.learn.stream import online_choice
from littlestone.learn.stream.base import PrivateOnlineLearner
from littlestone.points.units import Unit
from littlestone.privacy import Budget
from littlestone.privacy.accounting.groups import record_budget

THRESHOLDS = "thresholds(x, 0..9)"
TREES = "trees(x: 0..9 step 3, a in {u, v}; depth 2)"
RULES = "rules(a, b; at most 2)"
UNIT = ("--unit", "id", "--max-records")

# For each method the first of these is taken that it learns, under the first budget that it takes.
CLASSES = (
    TREES, THRESHOLDS, RULES, "points(a)", "subsets(a; at most 2)", "trees(x at {3}, a; depth 1)",
    "rule_list(x at {3, 6}, a in {u, v}; at most 2)", "lookup(a; at most 2)",
)  # fmt: skip
DELTAS = ("0", "0.0001")
HORIZON = 2000


def fit(name: str, hypotheses: str, *more: str, form: Form = csv, to: str = "fit") -> Command:
    declared = ("--class", hypotheses, "--target", "y", "--epsilon", "1")
    label = () if "--labels" in more else ("--positive", "1")
    place: tuple[str, ...] = () if form is csv else ("--dataset", "visits")
    place += ("--table", "visits") if form in (sqlite, duckdb) else ()
    return Command(name, (to, "TABLE", *declared, *label, *place, *more), form)


def methods(most: int | None = None) -> Iterator[Door]:
    """`fit` by each method that the package has; with ``most``, those that take so many of a unit."""
    unit = None if most is None else "id"
    for kind in concrete(PrivateLearner, "littlestone.learn"):  # type: ignore[type-abstract]
        for names in (None, "0,1,2"):
            label = Label.parse("y", 1) if names is None else Label.parse("y", labels=names)
            for H, delta in product(CLASSES, DELTAS):
                try:
                    choose_task(
                        label, H, Budget(1, delta), method=kind.method, unit=unit, max_records=most
                    )
                except DeclarationError:
                    continue
                more = ["--delta", delta, "--method", kind.method]
                more += [] if names is None else ["--labels", names]
                more += [] if most is None else [*UNIT, str(most)]
                of = "" if most is None else f", {most} of a unit"
                yield fit(f"fit by {kind.method}, {label}{of}", H, *more)
                break


def streams(most: int | None = None) -> Iterator[Door]:
    """`stream` by each method that the package has, in one batch; with ``most``, of so many of each."""
    unit = None if most is None else Unit("id", most)
    for kind in concrete(PrivateOnlineLearner, "littlestone.learn"):  # type: ignore[type-abstract]
        for H, delta in product(CLASSES, DELTAS):
            try:
                made, budget = declare_class(H), record_budget(Budget(1, delta), unit)
                online_choice(made, budget, horizon=HORIZON, method=kind.method)
            except DeclarationError:
                continue
            declared: tuple[str, ...] = (
                "--class",
                H,
                "--target",
                "y",
                "--positive",
                "1",
                "--epsilon",
                "1",
            )
            more: tuple[str, ...] = (
                "--delta",
                delta,
                "--method",
                kind.method,
                "--horizon",
                str(HORIZON),
            )
            secret, of = "state.run", "" if most is None else f", {most} of each"
            more += () if most is None else (*UNIT, str(most))
            yield Command(
                f"stream by {kind.method}{of}",
                ("stream", "TABLE", *declared, *more, "--state", secret),
                shows=without_rules, secret=(secret, f"{secret}.lock"),
            )  # fmt: skip
            break


def functions(form: Form) -> list[Door]:
    """`littlestone.fit` and `subgroup` on one kind of frame."""
    common: dict[str, Any] = {"positive": "1", "epsilon": 1, "dataset": "visits"}
    one_each = {"unit": "id", "max_records": 1, "estimate": 1}
    two_each = {"unit": "id", "max_records": 2}
    group = {"above": "0.3", "delta": "1e-6"}
    return [
        Function(f"fit of {form.__name__}", front_fit, {"hypotheses": TREES, **common}, form),
        Function(
            f"fit of one of a unit of {form.__name__}", front_fit,
            {"hypotheses": TREES, **common, **one_each}, form,
        ),
        Function(
            f"fit of two of a unit of {form.__name__}", front_fit,
            {"hypotheses": TREES, **common, **two_each}, form,
        ),
        Function(
            f"subgroup of {form.__name__}", front_subgroup,
            {"hypotheses": RULES, **common, **group}, form,
        ),
    ]  # fmt: skip


def shells() -> Iterator[Door]:
    """What is not `fit` of a file, nor a stream."""
    declared: dict[str, Any] = {"epsilon": 1, "classes": ("0", "1")}
    for H in ("thresholds(x, 0..9)", TREES):
        for form in (pandas_texts, pandas_objects, pandas_numbers):
            options = {"hypotheses": H, **declared, "estimate": 1}
            yield Function(
                f"scikit-learn, {form.__name__}, {H}", scikit_fit, options, form,
                module="littlestone.interop.scikit_learn",
            )  # fmt: skip


def commands() -> Iterator[Door]:
    """The commands with what each may print, write or refuse."""
    yield fit("fit", THRESHOLDS)
    yield fit("fit, a model", TREES, "--out", "model.json", "--estimate", "0.5")
    yield fit("fit, risks", TREES, "--out", "model.json", "--risk")
    risky = ("--labels", "0,1,2", "--delta", "1e-6", "--risk", "--json")
    yield fit("fit, risks of several labels", "lookup(a; at most 2)", *risky)
    yield fit("fit, as JSON", TREES, "--json", "--explain")
    yield fit("fit, a delta beyond 1/n", RULES, "--delta", "0.01")
    yield fit("fit, costs", THRESHOLDS, "--cost", "9999:1")
    yield fit("fit, several labels", "lookup(a; at most 2)", "--labels", "0,1,2", "--delta", "1e-6")
    yield fit("fit, too much work", RULES, "--method", "staged", "--delta", "1e-300")
    yield fit("fit, refused", RULES, "--delta", "0")
    yield fit("fit, seeded", THRESHOLDS, "--seed", "7")
    yield fit("fit, another separator", THRESHOLDS, "--separator", ";")
    for form in (gz, parquet_file):
        yield fit(f"fit of {form.__name__}", THRESHOLDS, form=form)
    yield fit("subgroup", RULES, "--above", "0.3", "--delta", "1e-6", "--json", to="subgroup")
    yield fit("subgroup, a model", THRESHOLDS, "--above", "0.3", "--out", "m.json", to="subgroup")


def databases() -> Iterator[Door]:
    """`fit` of the files of databases whose drivers are installed."""
    for form, needed in ((sqlite, "sqlalchemy"), (duckdb, "duckdb")):
        if find_spec(needed):
            yield fit(f"fit of {form.__name__}", TREES, form=form)
            yield fit(f"fit of units of {form.__name__}", TREES, *UNIT, "2", form=form)


def of_people() -> Iterator[Door]:
    """What is done for units, whose numbers of records are private."""
    yield fit("fit of units", TREES, *UNIT, "2", "--out", "model.json")
    yield fit("fit of units, a delta near 1/n", RULES, *UNIT, "2", "--delta", DELTA_NEAR)
    yield fit("fit of units, costs", THRESHOLDS, *UNIT, "2", "--cost", "9999:1")
    yield fit("fit of units, estimates", TREES, *UNIT, "1", "--json", "--estimate", "0.1")
    yield fit("fit of units, risks", TREES, *UNIT, "1", "--json", "--risk")


# 1/n for the n places of two of each unit; fewer records have a larger one.
DELTA_NEAR = "0.00042"
