"""Typeset the plain formulas of the pages as MathML.

A page writes ``Pr[h | S] = r^(-e_S(h)) / Z_S``, which anybody can read in the file itself.  The site
shows the same as mathematics, without a script.  `formula` typesets a text that is a formula,
`ends` finds the formulas within prose, and `is_formula` tells an indented formula from a table.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "eta": "η",
    "kappa": "κ", "lam": "λ", "lambda": "λ", "mu": "μ", "nu": "ν", "phi": "φ", "pi": "π", "psi": "ψ",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "theta": "θ",
}  # fmt: skip
FUNCTIONS = {
    "Bin", "DLap", "HS", "KL", "LD", "LDim", "MLS", "Pr", "arctan", "artanh", "ceil", "err", "exp",
    "floor", "ln", "log", "max", "min", "prod", "sqrt", "sum", "sup", "tanh",
}  # fmt: skip
LARGE = {"sum": "∑", "prod": "∏"}
UNDER = {*LARGE, "max", "min", "sup", "inf"}
SYMBOLS = {
    "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "<=>": "⇔", "...": "…", "-": "−", "*": "·", "||": "∥",
}  # fmt: skip
CODE = re.compile(r">>>|^\s*(?:@|def )", re.MULTILINE)
STAR = "\x0242\x03"  # an escaped star, as Python-Markdown keeps it
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)|(?P<word>[^\W\d_]+)"
    rf"|(?P<sign>{STAR}|<=>|<=|>=|!=|:=|->|\.\.\.|\|\||.)",
    re.DOTALL,
)
OPEN, CLOSE = "([{", ")]}"
NAMES = ("word", "number")

Token = tuple[str, str]


def _tokens(text: str) -> list[Token]:
    found = [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(text)]
    return [(kind, "*" if text == STAR else text) for kind, text in found]


class _Reader:
    """Reads tokens from left to right, and makes elements of them."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0

    def next(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ("end", "")

    def row(self, until: str = "") -> list[Element]:
        """Everything up to a token of ``until`` or the end."""
        row: list[Element] = []
        while self.next()[0] != "end" and (not until or self.next()[1] not in until):
            kind, text = self.next()
            if kind == "space":
                self.at += 1
                if row and row[-1].tag != "mo" and self.next()[0] in NAMES:
                    row.append(Element("mspace", width="0.3em" if len(text) < 3 else "2em"))
                elif len(text) >= 3:
                    row.append(Element("mspace", width="2em"))
            else:
                row.append(self.scripted(self.base(), text))
        return row

    def base(self) -> Element:
        kind, text = self.next()
        self.at += 1
        if kind == "number":
            return _leaf("mn", text)
        if kind == "word":
            return self.word(text)
        if text in OPEN and any(t in CLOSE for _, t in self.tokens[self.at :]):
            return self.group(text)
        return _leaf("mo", SYMBOLS.get(text, text), **_spacing(text, self.spaced()))

    def spaced(self) -> bool:
        """Whether the token just read has a space on both sides."""
        before = self.tokens[self.at - 2][0] if self.at > 1 else "space"
        return before == "space" and self.next()[0] == "space"

    def word(self, text: str) -> Element:
        if text in UNDER and self.tokens[self.at : self.at + 2] == [
            ("space", " "),
            ("word", "over"),
        ]:
            return self.over(text)
        if text in ("sqrt", "floor", "ceil") and self.next()[1] == "(":
            return self.function(text)
        if text in LARGE and self.next()[1] == "_":
            return _leaf("mo", LARGE[text], movablelimits="true")
        name = GREEK.get(text, text)
        known = len(name) == 1 or text in FUNCTIONS
        element = _leaf("mi" if known else "mtext", name)
        if self.next()[0] == "number" and (known or text in GREEK):
            element = _row("msub", element, _leaf("mn", self.next()[1]))
            self.at += 1
        return element

    def over(self, text: str) -> Element:
        """``sum over z of``: what comes between goes under the sign."""
        self.at += 3
        start, depth = self.at, 0
        while self.next()[0] != "end" and (depth or self.next() != ("word", "of")):
            depth += (self.next()[1] in OPEN) - (self.next()[1] in CLOSE)
            self.at += 1
        below = "".join(token for _, token in self.tokens[start : self.at]).strip()
        self.at += 1
        sign = _leaf("mo", LARGE.get(text, text), movablelimits="true")
        return _row("munder", sign, _row("mrow", *_Reader(below).row()))

    def function(self, text: str) -> Element:
        self.at += 1
        inner = self.row(CLOSE)
        self.at += 1
        if text == "sqrt":
            return _row("msqrt", *inner)
        left, right = "⌊⌋" if text == "floor" else "⌈⌉"
        return _row("mrow", _leaf("mo", left), *inner, _leaf("mo", right))

    def group(self, opener: str) -> Element:
        inner = self.row(CLOSE)
        closer = self.next()[1]
        self.at += 1
        row = [_leaf("mo", opener, stretchy="false"), *inner]
        return _row("mrow", *row, _leaf("mo", closer, stretchy="false"))

    def scripted(self, base: Element, text: str) -> Element:
        """``base`` with the primes, stars, indices and powers that follow it."""
        below: Element | None = None
        above: list[Element] = []
        while True:
            sign = self.next()[1]
            if sign == "'" and base.tag != "mo":
                prime = _leaf("mo", "′", lspace="0", rspace="0")
                if below is None and not above:
                    base = _row("mrow", base, prime)
                else:
                    above.append(prime)
                self.at += 1
            elif sign == "*" and base.tag in ("mi", "msub") and self.next(1)[0] not in NAMES:
                above.append(_leaf("mo", "∗"))
                self.at += 1
            elif sign in ("_", "^") and self.next(1)[0] not in ("space", "end"):
                self.at += 1
                script = self.script()
                if sign == "_":
                    below = script
                else:
                    above.append(script)
            else:
                break
        if below is not None and text in UNDER:
            return _row("munder", base, below)
        if below is not None and above:
            return _row("msubsup", base, below, _row("mrow", *above))
        if below is not None:
            return _row("msub", base, below)
        return _row("msup", base, _row("mrow", *above)) if above else base

    def script(self) -> Element:
        """What an index or a power holds: a group without its brackets, or one signed name."""
        text = self.next()[1]
        if text in ("(", "{"):
            self.at += 1
            inner = self.row(CLOSE)
            self.at += 1
            return _row("mrow", *inner)
        if text == "+" and self.next(1)[0] not in NAMES:
            self.at += 1
            return _leaf("mo", "+")
        sign = []
        if text in "+-":
            self.at += 1
            sign = [_leaf("mo", SYMBOLS.get(text, text))]
        name = self.base()
        while self.next()[1] == "'":
            name = _row("msup", name, _leaf("mo", "′"))
            self.at += 1
        if self.next()[1] == "_":  # r^-e_S: the index is that of the power
            self.at += 1
            name = _row("msub", name, self.script())
        return _row("mrow", *sign, name)


def _leaf(tag: str, text: str, **attributes: str) -> Element:
    element = Element(tag, attributes)
    element.text = text
    return element


def _row(tag: str, *parts: Element) -> Element:
    element = Element(tag)
    element.extend(parts)
    return element


def _spacing(text: str, spaced: bool) -> dict[str, str]:
    if text == "|" and spaced:
        return {"lspace": "0.3em", "rspace": "0.3em", "stretchy": "false"}
    if text == "#":
        return {"lspace": "0", "rspace": "0"}
    return {"stretchy": "false"} if text in ("|", *OPEN, *CLOSE, "||") else {}


def formula(text: str, *, display: bool = False) -> Element:
    """The MathML of a formula.

    >>> from xml.etree.ElementTree import tostring
    >>> tostring(formula("r^-e_S <= 2"), encoding="unicode")[6:-7]
    '<msup><mi>r</mi><mrow><mrow><mo>−</mo><msub><mi>e</mi><mrow><mi>S</mi></mrow></msub></mrow></mrow></msup><mo>≤</mo><mn>2</mn>'
    """
    math = Element("math", {"display": "block"} if display else {})
    math.extend(_Reader(text).row())
    return math


def lines(text: str) -> Element:
    """The lines of an indented formula, each as mathematics."""
    block = Element("div", {"class": "formula"})
    for line in text.rstrip().splitlines():
        math = formula(line.strip())
        depth = len(line) - len(line.lstrip())
        SubElement(block, "div", {"style": f"margin-left: {depth / 2}em"}).append(math)
    return block


def is_formula(text: str) -> bool:
    """Whether an indented block is a formula, and neither code nor a table of figures."""
    rows = text.strip().splitlines()
    wide = sum(len(re.findall(r"\S {3,}(?=\S)", row)) > 1 for row in rows)
    return wide < 2 and bool(re.search(r"[=<>~^]", text)) and not CODE.search(text)


# Formulas in prose.

NAME = rf"(?:{'|'.join(sorted([*GREEK, *FUNCTIONS], key=len, reverse=True))}|[A-Za-z])(?![a-zA-Z])"
ATOM = re.compile(rf"(?:{NAME}\d*|[A-Za-z]+(?=[_^])|\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)")
OPERATOR = re.compile(r"\s*(?:<=|>=|!=|:=|->|=|<|>|~|\|\||∈|⊆)\s*|\s+[+*/-]\s+|[+/-](?=\S)")
JOIN = re.compile(r"\s+")
SCRIPT = re.compile(rf"[_^](?:[+-]?(?:{ATOM.pattern}|[A-Za-z]{{1,3}}(?!\w))'*|\+)|\^[+-]?[a-z]+")
SIGNED = re.compile(r"[_^][+-]?(?=[({])")
WITH_PROSE = re.compile(r"Pr|E|1")
LONE = re.compile(r"[B-HJ-Zb-z]")


def _balanced(text: str, start: int) -> int:
    """The end of the bracketed group at ``start``, or ``start`` if it is not closed soon."""
    depth = 0
    for place in range(start, min(len(text), start + 120)):
        depth += (text[place] in OPEN) - (text[place] in CLOSE)
        if not depth:
            return place + 1
    return start


def _operand(text: str, start: int, after: bool = False) -> tuple[int, bool]:
    """The end of one operand at ``start``, and whether it has an index, a power or an argument."""
    place = start
    if text[place : place + 1] == "-" and after:
        place += 1
    strong = False
    if text[place : place + 1] in ("(", "[", "{", "#") and text[place : place + 1]:
        inside = place + (text[place] == "#")
        end = _balanced(text, inside)
        if end == inside or not (text[place] == "#" or _list(text[inside + 1 : end - 1])):
            return start, False
        place = end
    elif match := ATOM.match(text, place):
        head, place = match[0], match.end()
        if head in UNDER and text[place : place + 1] not in ("(", "_"):
            return start, False  # a word of the sentence
        if text[place : place + 1] in ("(", "[") and (head[0].isalpha() or head == "1"):
            end = _balanced(text, place)
            inner = text[place + 1 : end - 1]
            if end > place and (
                _list(inner) or (text[place] == "[" and WITH_PROSE.fullmatch(head))
            ):
                place, strong = end, True
    else:
        return start, False
    while place < len(text):
        if text[place] == "'" and text[place + 1 : place + 2] != "s":
            place += 1
        elif text.startswith(STAR, place):
            place += len(STAR)
        elif text[place] == "*" and _is_star(text, place):
            place += 1
        elif match := SIGNED.match(text, place):
            end = _balanced(text, match.end())
            if end == match.end():
                break
            place, strong = end, True
        elif match := SCRIPT.match(text, place):
            place, strong = match.end(), True
        elif text[place] in "([" and strong and (end := _balanced(text, place)) > place:
            if not _list(text[place + 1 : end - 1]):
                break
            place = end
        else:
            break
    return place, strong


def _is_star(text: str, place: int) -> bool:
    """Whether a star is that of h*, and does not end words that are emphasised."""
    alone = text[place + 1 : place + 2] != "*" and bool(LONE.match(text[place - 1]))
    return alone and text[:place].count("*") % 2 == 0


def _list(text: str) -> bool:
    """Whether a group holds formulas alone, between commas, colons and bars."""
    parts = [part.strip() for part in re.split(r"\s*(?:,|;|:|\|)\s+|,|\|", text.strip())]
    return any(parts) and all(
        part in ("", "...", "+", "-") or _run(part, 0, whole=True)[0] == len(part) for part in parts
    )


def _run(text: str, start: int, *, whole: bool = False) -> tuple[int, bool]:
    end, strong = _operand(text, start, after=True)
    if end == start:
        return start, False
    while True:
        match = OPERATOR.match(text, end)
        if match and (after := _operand(text, match.end(), after=True))[0] > match.end():
            end, strong = after[0], True
            continue
        match = JOIN.match(text, end)
        if match:
            after = _operand(text, match.end())
            alone = text[match.end() : after[0]]
            product = after[1] or alone in GREEK or (LONE.fullmatch(alone) and (strong or whole))
            if after[0] > match.end() and product and not text[end - 1].isspace():
                end, strong = after[0], strong or after[1]
                continue
        return end, strong


def ends(text: str, start: int) -> int:
    """The end of the formula in prose that begins at ``start``; ``start`` if none does.

    >>> text = "So r^(-e_S(h)) changes, and e^epsilon q too"
    >>> text[3 : ends(text, 3)], text[28 : ends(text, 28)], ends(text, 0)
    ('r^(-e_S(h))', 'e^epsilon q', 0)
    """
    end, strong = _run(text, start)
    found = text[start:end]
    lone = all(part in GREEK or LONE.fullmatch(part.rstrip("'*")) for part in found.split())
    group = text[start] in "([{" and any(name in found for name in GREEK)
    if text[end : end + 2].strip(".") and text[end : end + 1] == "." and text[end + 1].isalnum():
        return start  # as in i.e.
    if re.fullmatch(r"[\d.,\s()+/-]*", found):
        return start
    if len(found) == 1 and re.search(rf"(?<!\w)\({found}\)", text[max(0, start - 2) : end + 1]):
        return start  # as in part (b)
    return end if end > start and (strong or lone or group) else start
