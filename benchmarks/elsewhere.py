"""diffprivlib in an environment of its own: it needs another scikit-learn than ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build" / "benchmarks"
PINNED = ("diffprivlib==0.6.6", "scikit-learn==1.6.1", "numpy==2.4.6")


def python_with_diffprivlib() -> Path:
    """The Python of that environment, which is made under ``build`` if there is none."""
    home = BUILD / "diffprivlib"
    made = home / "made"
    if not made.exists() or made.read_text() != " ".join(PINNED):
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run(
            [home / "bin" / "python", "-I", "-m", "pip", "install", "-q", *PINNED], check=True
        )
        made.write_text(" ".join(PINNED))
    return home / "bin" / "python"
