"""Run every command of the command line on small examples: PYTHON [--bare].

Each ends with status 0, or says which package it needs.  With --bare the packages of all extras are
hidden first, as if they were not installed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FILES = {
    "table.csv": "x,y\n" + "".join(f"{i % 10},{int(i % 10 >= 4)}\n" for i in range(200)),
    "matrix.csv": "0,1,1\n0,0,1\n1,1,0\n",
}
_FIT = ["table.csv", "--target", "y", "--positive", "1", "--epsilon", "1"]
_CLASS = ["--class", "thresholds(x, 0..9)"]
COMMANDS = [
    ["check", *_FIT[:5], *_CLASS],
    ["fit", *_FIT, *_CLASS, "--out", "model.json"],
    ["subgroup", *_FIT, *_CLASS, "--above", "0.5"],
    ["predict", "model.json", "table.csv"],
    ["export", "model.json", "--to", "sql", "--dialect", "duckdb"],
    ["export", "model.json", "--to", "polars"],
    ["export", "model.json", "--to", "pandas"],
    ["export", "model.json", "--to", "card"],
    ["classes"],
    ["schema", "table.csv"],
    ["plan", "thresholds(x, 0..9)", "--epsilon", "1"],
    ["stream", *_FIT, *_CLASS, "--horizon", "200"],
    ["stream", *_FIT, *_CLASS, "--horizon", "200", "--figure", "run.png"],
    ["dim", "matrix.csv", "--certificate", "proof.bin"],
    ["dim", "linear(x, y; q 4, dimension 1)"],
    ["theory", "certify", "matrix.csv", "proof.bin"],
    ["theory", "tree", "matrix.csv"],
    ["theory", "tree", "matrix.csv", "--out", "tree.png"],
    ["theory", "dims", "matrix.csv"],
    ["theory", "atlas", "2"],
    ["theory", "papers", "Lyu25"],
    ["theory", "optimum", "thresholds(x, 1..3)", "--n", "2", "--epsilon", "1"],
    ["theory", "search", "ldim == 2", "--points", "1..3"],
    ["theory", "decompose", "matrix.csv", "--p", "1"],
    ["theory", "play", "matrix.csv"],
    ["report", "model.json", "--out", "page.html"],
    ["ledger", "show"],
    ["ledger", "history"],
    ["ledger", "export"],
    ["ledger", "limit", "third", "--epsilon", "3"],
    ["ledger", "record", "third", "--epsilon", "1", "--what", "a mean", "--neighbours", "replace-one"],
    ["ledger", "unit", "third", "--unit", "patient", "--max-records", "3"],
    ["ledger", "alias", "table.csv", "third"],
    ["verify", "--id", "L5 Theorem 1"],
    ["audit", "exponential-mechanism", "--epsilon", "1", "--trials", "100", "--jobs", "1"],
]  # fmt: skip
EXTRAS = [
    "dask", "dp_accounting", "duckdb", "galois", "matplotlib", "opendp", "openpyxl", "pandas", "polars",
    "psycopg", "pyspark", "river", "scipy", "sklearn", "sqlalchemy", "sqlglot",
]  # fmt: skip
_HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def names() -> list[str]:
    """All commands, such as "fit" and "ledger show", as the command line lists them."""
    import typer
    from typer import Context

    from littlestone.cli import app

    def below(group: Any, above: str) -> list[str]:
        context, found = Context(group), list[str]()
        for name in group.list_commands(context):
            command, whole = group.get_command(context, name), f"{above} {name}".strip()
            found += below(command, whole) if hasattr(command, "list_commands") else [whole]
        return found

    return below(typer.main.get_command(app), "")


def faults(*, bare: bool) -> list[str]:
    """What went wrong: a command without an example, or one that ended as it must not."""
    given = [" ".join(words) for words in COMMANDS]
    found = [
        f"{name}: no example"
        for name in names()
        if not any(words.startswith(f"{name} ") or words == name for words in given)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text)
        environment = dict(os.environ)
        if bare:
            Path(folder, "sitecustomize.py").write_text(f"NAMES = {EXTRAS!r}\n{_HIDE}")
            known = os.pathsep + environment.get("PYTHONPATH", "")
            environment["PYTHONPATH"] = (folder + known).rstrip(os.pathsep)
        for words in COMMANDS:
            done = subprocess.run(
                [sys.executable, "-m", "littlestone", *words],
                cwd=folder, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            lacking = "is not installed" in done.stderr and done.returncode in (1, 2)
            if done.returncode and not lacking:
                found.append(f"{' '.join(words)}: status {done.returncode}: {done.stderr[-300:]}")
    return found


if __name__ == "__main__":
    if wrong := faults(bare="--bare" in sys.argv[1:]):
        sys.exit("\n".join(wrong))
    sys.stdout.write(f"{len(COMMANDS)} commands, each of which ends well or says what it needs\n")
