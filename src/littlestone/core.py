"""The compiled core, as the processor of this machine runs it best.

Importing this module gives the extension module itself: `_core_v4` where the processor has AVX-512,
`_core_v3` where it has AVX2 and BMI2, and `_core` elsewhere.  ``core.pyi`` lists what is in it; the
sources are in ``core/`` at the project's root.
"""

from __future__ import annotations

import sys
from importlib import import_module

try:
    _chosen = import_module("littlestone._core")
except ImportError as error:
    raise ImportError(
        "littlestone needs its compiled core. This copy has none that fits this Python. "
        "Install a wheel, or run `pip install .` with a C++20 compiler, such as gcc 11."
    ) from error
if (_level := _chosen.processor_level()) > 1:
    _chosen = import_module(f"littlestone._core_v{_level}")
sys.modules[__name__] = _chosen
