"""What every act begins with: of the package, what all doors share."""

import numpy  # noqa: F401
import pytest  # noqa: F401
import rich.console  # noqa: F401

import littlestone.cli  # noqa: F401
