"""Spark in local mode counts rows; what it counts is what a reading of its records finds."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engines import DOMAINS, LABELS, LATE, arrow, by_records, nasty
from pyarrow import parquet
from sources import examples, plain
from test_counts_in_engines import changing as changing_counts
from test_counts_in_engines import known, learn
from test_sums_in_engines import COLUMNS as SUMMED
from test_sums_in_engines import DOMAIN, ODD, X, agree, changing, kept_of, release
from test_sums_in_engines import LABELS as LABELS_SUMMED

import littlestone
from littlestone.base.errors import TableError
from littlestone.data import Label, open_table, read_mapped, read_sample
from littlestone.data.reading import Reservoir
from littlestone.data.stored import store_sample
from littlestone.learn.declared.checking import Faults
from littlestone.points import Listed, Product, Reals, Strings
from littlestone.points.units import Unit

pytestmark = [
    pytest.mark.filterwarnings("ignore::littlestone.base.errors.NotPrivateWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of PySpark, about pandas
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

pytest.importorskip("pyspark", reason="PySpark is not installed: make engines-spark")
if shutil.which("java") is None:
    pytest.skip("Java is not installed, and Spark needs it", allow_module_level=True)

COLUMNS = nasty()
Y = Label.parse("y", 1)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
        # Short jobs end sooner if Java compiles quickly than if it compiles well.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.session.timeZone": "Asia/Kathmandu",
    }
    builder = SparkSession.builder.master("local[2]").appName("littlestone")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_a_table_of_nasty_values_gives_one_sample_and_one_release(
    spark: Any, tmp_path: Path
) -> None:
    parquet.write_table(arrow(COLUMNS), tmp_path / "t.parquet", row_group_size=17)
    frame = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
    table = open_table(frame)
    assert [table.kind(column) for column in table.columns] == [
        "text", "number", "integer", "number", "boolean", "text",
    ]  # fmt: skip
    for domain, label in [*((domain, LATE) for domain in DOMAINS[::3]), (DOMAINS[0], LABELS[2])]:
        sample = read_sample(table, domain, label)
        found = dict(zip(sample.points, sample.counts.tolist(), strict=True))
        assert found == by_records(COLUMNS, domain, label), domain
    rules = {
        str(
            littlestone.fit(
                source, "late", positive="yes", hypotheses="rules(text, exact; at most 2)",
                epsilon=0.1, delta="1e-3", ledger=littlestone.Ledger(), dataset="d",
                simulation_seed=5,
            ).hypothesis
        )
        for source in (arrow(COLUMNS), table)
    }  # fmt: skip
    assert len(rules) == 1
    domain = Product((Strings("text"), Reals("number")))
    sample = read_sample(table, domain, LATE, keep=Reservoir(Unit("late", 1000), random.Random(0)))
    found = {x: c for x, c in zip(sample.points, sample.counts.tolist(), strict=True) if any(c)}
    assert found == by_records(COLUMNS, domain, LATE)
    with pytest.raises(TableError, match="hands them over in any order"):
        read_mapped(table, Strings("text"), partial(map, str))
    with pytest.raises(TableError, match="it has no rows"):
        read_sample(open_table(frame.limit(0)), Strings("text"), LATE)


def test_a_score_sheet_is_learned_in_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(arrow(SUMMED), tmp_path / "t.parquet", row_group_size=17)
    frame = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
    memory = open_table(arrow(SUMMED))
    # All columns at once, because each statement of Spark takes long.
    agree(open_table(frame), memory, [DOMAIN, ODD], LABELS_SUMMED[::20], fixed=False)
    # U+FFFD may stand for damaged bytes, which are no such text: the records are read.
    damaged = Product((Listed(("\ufffd",), "text"),))
    assert store_sample(open_table(frame), damaged, LATE) is None
    expected = release(memory, risk=True)

    def change() -> None:
        parquet.write_table(arrow(nasty(50)), tmp_path / "t.parquet")

    changing(monkeypatch, change)
    # How good it is, is counted in Spark too, by runs of its totals.
    found = release(frame, risk=True)
    assert found.risks is not None
    assert (found.hypothesis, found.cost, found.risks) == (
        expected.hypothesis,
        expected.cost,
        expected.risks,
    )


def test_trees_are_learned_in_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(arrow(SUMMED), tmp_path / "t.parquet", row_group_size=17)
    frame = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)

    def change() -> None:
        parquet.write_table(arrow(nasty(50)), tmp_path / "t.parquet")

    # What is kept of the frame is its state before the first question.
    for task in ("split once more", "with points"):
        with monkeypatch.context() as patch:
            changing_counts(patch, change)
            assert known(learn(frame, task)) == known(learn(arrow(SUMMED), task))
        parquet.write_table(arrow(SUMMED), tmp_path / "t.parquet", row_group_size=17)


def test_one_record_of_each_unit_is_kept(spark: Any) -> None:
    table = open_table(
        spark.sql(
            "SELECT * FROM VALUES (1, 1, 1), (2, 5, 0), (1, 9, 0), (NULL, 7, 1) AS t(who, x, y)"
        )
    )
    for seed in (0, 1):
        kept = kept_of(table, seed)
        assert kept[1, 1] + kept[9, 0] == 1
        assert kept[5, 0] == kept[7, 1] == 1
    assert sorted(kept_of(table, 0, 2)) == [(1, 1), (5, 0), (7, 1), (9, 0)]
    # Damaged texts may be one unit: the records are read.
    texts = open_table(spark.sql("SELECT 'a' AS who, 1 AS x, 1 AS y"))
    assert store_sample(texts, X, Y, Unit("who", 1)) is None


def test_blank_texts_are_missing(spark: Any) -> None:
    """A byte that is no text is none of them, though it ends the bytes of a space."""
    frame = spark.sql(
        "SELECT CAST(x AS STRING) AS x, y FROM VALUES (X'61', 1), (X'E3808020', 1), (X'80', 0), "
        "(X'0A0D', 0), (X'1C', 1), (X'41', 1), (NULL, 1) AS t(x, y)"
    )
    table, domain = open_table(frame), Product((Listed(("a",), "x"),))
    faults = Faults(domain.columns, Y)
    stored = store_sample(table, domain, Y, checks=faults.checks_of_types(table.kind) or ())
    assert stored is not None
    assert stored.unread == (2, 0) == read_sample(table, domain, Y, faults=faults).unread


def test_a_collation_that_ignores_case(spark: Any) -> None:
    found = []
    for first in ("a", "b"):
        frame = spark.sql(
            f"SELECT x COLLATE UTF8_LCASE AS x, 1 AS y FROM VALUES ('{first}'), ('A'), ('A') AS t(x)"
        )
        engine = Counter({r[0]: r[1] for r in frame.groupBy("x").count().collect()})
        found.append((engine, examples(read_sample(open_table(frame), Strings("x"), Y))))
    (engine, before), (engine_then, after) = found
    assert (engine - engine_then).total() > 1
    assert ((before - after).total(), (after - before).total()) == (1, 1)


def test_texts_that_are_no_utf8_and_odd_names(spark: Any) -> None:
    frame = spark.sql(
        "SELECT CAST(X'FF41' AS STRING) AS `a.b``c`, 1 AS y, current_timestamp() AS t"
    )
    table = open_table(frame)
    assert plain(read_sample(table, Strings("a.b`c"), Y)) == {"\ufffdA": (0, 1)}
    with pytest.raises(TableError, match="its declared type is"):
        read_sample(table, Strings("t"), Y)


def test_a_failing_job_says_nothing_of_a_record(spark: Any) -> None:
    frame = spark.sql("SELECT raise_error('SECRET') AS x, 1 AS y").selectExpr("string(x) x", "y")
    with pytest.raises(TableError, match="Spark could not compute it") as error:
        read_sample(open_table(frame), Strings("x"), Y)
    assert "SECRET" not in str(error.value)
