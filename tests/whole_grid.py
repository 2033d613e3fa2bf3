"""Whether every test of a grid runs: ``WHOLE_GRID=1`` in the environment, which takes long."""

import os

WHOLE = "WHOLE_GRID" in os.environ
