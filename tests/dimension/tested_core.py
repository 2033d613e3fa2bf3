"""A plugin of pytest: the core at the path in ``TESTED_CORE`` is tested, not the package's own."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

_SPEC = spec_from_file_location("littlestone._core", os.environ["TESTED_CORE"])
assert _SPEC is not None
assert _SPEC.loader is not None
_CORE = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_CORE)
sys.modules["littlestone._core"] = sys.modules["littlestone.core"] = _CORE
