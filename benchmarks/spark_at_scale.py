"""A hundred million records in Spark, whose rows no single process here could hold.

``python -m benchmarks.spark_at_scale`` writes a folder of Parquet files (360 MB) and prints CPU
seconds and the peak memory of Python and of Java, each run with a new session of ``local[2]`` and 1 GB
for Java.  Beside a fit stands Spark's own query, which groups the same columns.  It takes Java 17 and
`pip install '.[spark,engines]'`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.large_tables import Run, cpu_of, processes_of

ON_REQUEST = True
ROWS = 10**8
QUERIES = {"dep_delay": "thresholds(dep_delay, -60..1440)"}
QUERIES["dep_delay, b"] = (
    "conditions(dep_delay: -60..1440 step 20, b in {"
    + ", ".join(f"t{i}" for i in range(301))
    + "}; at most 2)"
)
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
}


def write(folder: Path) -> None:
    """Delays as whole numbers, a text of 301 values, and a label that a threshold explains."""
    import duckdb

    delay = (
        f"SELECT CAST(least(1301, -ln(1 - random()) * 40 - 28) AS SMALLINT) AS d FROM range({ROWS})"
    )
    columns = (
        "d AS dep_delay, (d + random() * 40 - 26 >= 15)::INT AS late, 't' || (random() * 300)::INT"
    )
    connection = duckdb.connect()
    connection.execute("SET memory_limit = '3GB'; SELECT setseed(.5)")
    source = f"SELECT {columns} AS b FROM ({delay})"
    form = "FORMAT parquet, PER_THREAD_OUTPUT true"
    connection.execute(f"COPY ({source}) TO '{folder}' ({form})")


def alone(folder: str, columns: str, who: str) -> None:
    """One query or fit, and what its process and Java used."""
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    frame = builder.getOrCreate().read.parquet(folder)
    if who == "query":
        frame.groupBy(*columns.split(", ")).agg({"late": "sum", "*": "count"}).collect()
    else:
        import littlestone

        declared = {"hypotheses": QUERIES[columns], "positive": "1", "epsilon": 1}
        with littlestone.Ledger() as ledger:
            littlestone.fit(frame, "late", ledger=ledger, dataset="d", **declared)
    peaks = {}
    for path, _ in processes_of({os.getpid()}):
        told = (path / "status").read_text(encoding="ascii")
        if "VmHWM:" in told:
            peaks[told.split()[1]] = int(told.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    used = ", ".join(f"{name} {peak:.0f} MB" for name, peak in peaks.items())
    print(f"{columns:<14}{who:<8}{cpu_of(Run('', '', '')):6.1f} CPU s   {used}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        alone(*sys.argv[1:])
    else:
        with tempfile.TemporaryDirectory(prefix="littlestone-benchmark-") as made:
            write(Path(made, "flights"))
            for columns in QUERIES:
                for who in ("query", "fit"):
                    command = [
                        "-m",
                        "benchmarks.spark_at_scale",
                        str(Path(made, "flights")),
                        columns,
                        who,
                    ]
                    subprocess.run(
                        [sys.executable, *command], check=True, stderr=subprocess.DEVNULL
                    )
