"""Detect cross-validations of scikit-learn whose folds depend on labels, or divide units."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from types import FrameType

from littlestone.base.errors import NotPrivateWarning


def warn_of_folds_by_label() -> None:
    """Warn if the calling cross-validation has folds that depend on the labels.

    These are scikit-learn's splitters named Stratified...; ``cv=None`` and a number also select them.
    The check uses only what the caller declares, so the warning reveals nothing about a record.
    """
    _warn(
        _stratified,
        "the folds of this cross-validation depend on the labels: where one label changes, records "
        "of others move between the folds, and the sum of what the fits spend is NO GUARANTEE. "
        "Say cv=KFold(...), which splits by position.",
    )


def warn_of_folds_of_records() -> None:
    """Warn if any cross-validation calls, for a classifier that protects units."""
    _warn(
        lambda cv: True,
        "the folds of this cross-validation hold records, not units: where one unit has another "
        "number of records, those of others move between the folds, and the sum of what the fits "
        "spend is NO GUARANTEE for units. Fit once instead.",
    )


def _warn(concerns: Callable[[object], bool], message: str) -> None:
    """Warn the caller of scikit-learn if it cross-validates with such a ``cv``."""
    frame, depth, found = inspect.currentframe(), 0, False
    while frame is not None:
        depth += 1
        found = found or any(map(concerns, _cv(frame)))
        if found and not _module(frame).startswith(("sklearn.", "littlestone.")):
            break  # the caller of scikit-learn, where the warning is shown
        frame = frame.f_back
    if found:
        warnings.warn(message, NotPrivateWarning, stacklevel=depth)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _cv(frame: FrameType) -> list[object]:
    """The ``cv`` of the frame, if it is a search or calls a cross-validation; else nothing."""
    module, known = _module(frame), frame.f_locals
    if (module, frame.f_code.co_qualname) == (
        "sklearn.model_selection._search",
        "BaseSearchCV.fit",
    ):
        return [known["self"].cv]
    # The functions' own frames are skipped: there cv is already the splitter made from it and from y.
    function = known.get("func")
    if module != "sklearn.utils._param_validation" or not inspect.isfunction(function):
        return []
    called = inspect.signature(function).bind(*known["args"], **known["kwargs"])
    called.apply_defaults()
    return [called.arguments["cv"]] if "cv" in called.arguments else []


def _stratified(cv: object) -> bool:
    return cv is None or isinstance(cv, int) or "Stratified" in type(cv).__name__
