"""How to cite a page: what was released, and the software."""

from __future__ import annotations

import littlestone
from littlestone.base.markup import Html
from littlestone.privacy.cost import PrivacyCost
from littlestone.show.pages.frame import command, said, section

TITLE = "littlestone: online learning and differentially private learning of Littlestone classes"
AUTHOR = "The littlestone developers"
_YEAR = 2026


def citing(what: str, cost: PrivacyCost, mechanism: str) -> Html:
    """The section that says how to cite ``what``, which is a phrase such as "a rule for ...".

    >>> from fractions import Fraction
    >>> "version = {" in citing("a rule", PrivacyCost(Fraction(1)), "a mechanism")
    True
    """
    return section(
        "How to cite",
        said(f"Say what was released and under which guarantee: “{what}, {cost}, {mechanism}”."),
        said("The software:"),
        command(
            "@software{littlestone,\n"
            f"  title = {{{TITLE}}},\n"
            f"  author = {{{{{AUTHOR}}}}},\n"
            f"  version = {{{littlestone.__version__}}},\n"
            f"  year = {{{_YEAR}}}\n"
            "}"
        ),
    )
