"""The command that learns once more from the declarations of a release."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction

from littlestone.learn.results.release import Release
from littlestone.privacy.cost import decimal_text


def again(release: Release, *, group: bool = False) -> str:
    """A command that learns a rule, or finds a ``group``, from the same declarations.

    The text of a label may be read in several ways if a column's name holds a comparison; then its
    parts are left to the reader.
    """
    privacy = release.cost
    estimate = Fraction(0) if release.estimate is None else release.estimate.spent
    # The epsilon of a group pays for its estimates too, and that of a rule does not.
    epsilon = privacy.epsilon if group else privacy.epsilon - estimate
    options = [*_label(release), "--class", release.hypotheses, "--epsilon", decimal_text(epsilon)]
    if privacy.delta:
        options += ["--delta", decimal_text(privacy.delta)]
    if estimate:
        options += ["--estimate", decimal_text(estimate)]
    if group:
        options += ["--above", decimal_text(release.mistakes.rate)]
    elif not release.mistakes.equal:
        options += ["--cost", f"{release.mistakes.missed}:{release.mistakes.alarm}"]
    if release.unit is not None:
        options += ["--unit", release.unit.column, "--max-records", str(release.unit.most)]
    return shlex.join(["littlestone", "subgroup" if group else "fit", "TABLE.csv", *options])


def _label(release: Release) -> list[str]:
    if release.labels:
        names = (f'"{name}"' if "," in name else name for name in release.labels)
        return ["--target", release.label, "--labels", ",".join(names)]
    places = list(re.finditer(r" (>=|<=|==|!=|>|<|in) ", release.label))
    if len(places) != 1:
        return ["--target", "COLUMN", "--positive", "CONDITION"]
    column, condition = release.label[: places[0].start()], release.label[places[0].start() + 1 :]
    return ["--target", column, "--positive", condition]
