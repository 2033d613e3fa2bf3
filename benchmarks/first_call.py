"""``python -m benchmarks first_call``: the first large table after an installation, and in a process.

Each call runs in a process of its own.  The first one finds an empty folder of kernels.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from rich.console import Console

ON_REQUEST = True
PROGRAM = """
import time
import numpy as np
from littlestone.dimension import littlestone_dimension
table = (np.random.default_rng(1).random((1024, 1024)) < 0.5).astype(np.uint8)
for _ in range(2):
    began = time.process_time()
    assert littlestone_dimension(table) == 10
    print(time.process_time() - began)
"""


def show(console: Console) -> None:
    """CPU seconds of the first and the second call, with and without kernels kept."""
    with tempfile.TemporaryDirectory() as folder:
        for title in ("after an installation", "in a later process"):
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM],
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            first, second = map(float, done.stdout.split())
            console.print(
                f"{title}: {first:.2f} CPU seconds, then {second:.3f}; it said: "
                f"{' / '.join(done.stderr.splitlines()) or 'nothing'}",
                highlight=False,
                soft_wrap=True,
            )
