"""Detect cross-validations of scikit-learn whose folds depend on the labels."""

from __future__ import annotations

import inspect
import warnings
from types import FrameType

from littlestone.errors import NotPrivateWarning


def warn_of_folds_by_label() -> None:
    """Warn if the calling cross-validation has folds that depend on the labels.

    These are scikit-learn's splitters named Stratified...; ``cv=None`` and a number also select them.
    The check uses only what the caller declares, so the warning reveals nothing about a record.
    """
    frame, depth, found = inspect.currentframe(), 0, False
    while frame is not None:
        depth += 1
        found = found or _by_label(frame)
        if found and not _module(frame).startswith(("sklearn.", "littlestone.")):
            break  # the caller of scikit-learn, where the warning is shown
        frame = frame.f_back
    if found:
        warnings.warn(
            "the folds of this cross-validation depend on the labels: where one label changes, records "
            "of others move between the folds, and the sum of what the fits spend is NO GUARANTEE. "
            "Say cv=KFold(...), which splits by position.",
            NotPrivateWarning,
            stacklevel=depth,
        )


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _by_label(frame: FrameType) -> bool:
    """Whether the frame is a search or calls a cross-validation with such a ``cv``."""
    module, known = _module(frame), frame.f_locals
    if (module, frame.f_code.co_qualname) == (
        "sklearn.model_selection._search",
        "BaseSearchCV.fit",
    ):
        return _stratified(known["self"].cv)
    # The functions' own frames are skipped: there cv is already the splitter made from it and from y.
    function = known.get("func")
    if module != "sklearn.utils._param_validation" or not inspect.isfunction(function):
        return False
    called = inspect.signature(function).bind(*known["args"], **known["kwargs"])
    called.apply_defaults()
    return "cv" in called.arguments and _stratified(called.arguments["cv"])


def _stratified(cv: object) -> bool:
    return cv is None or isinstance(cv, int) or "Stratified" in type(cv).__name__
