"""Certificates that prove nothing, or not what they say: changed bytes, and lies in the right form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks.named_tables import table
from claims_by_the_page import HEAD, Claim, Proof, Text, covers, proved

from littlestone.dimension import Certificate, littlestone_bounds, symmetry
from littlestone.dimension.search.engine import declare_symmetries
from littlestone.dimension.tables import PackedTable

Rows = list[list[int]]


def written(number: int) -> bytes:
    """Seven bits to a byte, the lowest first."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def certificate_of(values: np.ndarray, patience: int = 1 << 30) -> tuple[Rows, Certificate]:
    """A table and its certificate, which uses symmetries if ``patience`` is 0."""
    packed = PackedTable.pack(values.astype(np.uint8))
    with patch.object(symmetry, "PATIENCE", patience):
        return packed.values().tolist(), Certificate.of(packed, littlestone_bounds(packed))


@cache
def certified() -> list[tuple[Rows, Certificate]]:
    """Small tables whose proofs have steps of all kinds; the tree of the last one is large."""
    lists = table("decision_lists", 3)
    unions = [lists[:, [i]] | lists[:, [j]] for i in range(8) for j in range(i)]
    chosen = np.random.default_rng(1).permutation(len(unions))[:6]
    made = [
        np.hstack([lists, *(unions[i] for i in chosen)]),
        table("intervals", 7, 2),
        table("random", 160, 36, 20, 2),
        table("random", 130, 70, 20, 3),
    ]
    certified_ = [certificate_of(values) for values in made]
    turned = lists ^ np.arange(lists.shape[1], dtype=lists.dtype) % 2  # symmetries exchange labels
    return [*certified_, certificate_of(turned, 0)]


@cache
def forged() -> list[tuple[Rows, list[bytes]]]:
    """Small tables, each with its certificate and with files that do not prove what they say."""
    rng, batteries = np.random.default_rng(11), []
    for i in range(16):
        values = rng.random((24, 6)) < rng.choice([0.3, 0.5])
        if i >= 12:  # rows of several words, of which the last are used
            values = np.pad(values, ((0, 0), ([59, 128, 500, 600][i - 12], 0)))
        rows, honest = certificate_of(values)
        more = replace(honest, claims=honest.claims + 1)
        made = [honest.to_bytes(), honest.to_bytes() + bytes(1), more.to_bytes()]
        head = made[0][:HEAD] + written(0)
        for _ in range(40):
            k = int(rng.integers(1, honest.upper + 1))
            text, claims = Liar(rows, rng).write(k)
            made.append(head + written(k - 1) + written(0) + written(claims) + text)
        batteries.append((rows, made))
    for rows, honest in certified()[:2]:
        near, far = retargeted(rows, honest)
        chosen = rng.choice(len(far), 80, replace=False)
        files = [honest.to_bytes(), *near[:40], *(far[i] for i in chosen)]
        batteries.append((rows, files))
    half = table("intervals", 7, 2)  # both halves: a symmetry exchanges the labels of column 0
    both = np.hstack([np.repeat([[0], [1]], len(half), axis=0), np.vstack([half, half])])
    for rows, honest in [certified()[-1], certificate_of(both, 0)]:
        batteries.append((rows, [honest.to_bytes(), *misdeclared(rows, honest, rng)]))
    return [*batteries, one_way(), one_left(), moving(), *turned_back()]


def one_way() -> tuple[Rows, list[bytes]]:
    """False claims under maps that are no symmetries, in whose one orbit a step settles column 0.

    One takes all columns to column 0, and rows to rows.  The other turns the columns round.
    """
    half = table("intervals", 5, 2)
    made = np.zeros((len(half) + 2, 6), np.uint8)
    made[:2, 0], made[1, 1], made[2:, 1:] = 1, 1, half
    rows, honest = certificate_of(made)
    head = honest.to_bytes()[:HEAD]
    maps = [0] * 6, [2, 4, 6, 8, 10, 0]
    step = [3, 0, 0, 0]  # side 1 has two rows
    numbers = [[0, k, 0, 2, 1, *m, 0, 0, *step] for m in maps for k in range(2, honest.upper)]
    return rows, [honest.to_bytes(), *(head + bytes(said) for said in numbers)]


def one_left() -> tuple[Rows, list[bytes]]:
    """Only column 2 needs a step for LDim < 2, which is false: any orbit of two columns would do.

    Further files prove a true claim, but declare a map to column 4, a word in itself, or too much.
    """
    rows, honest = certificate_of(
        np.array([[1, 1, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])
    )
    head, same = honest.to_bytes()[:HEAD], [0, 2, 4, 6]
    maps = [[4, 2, 0, 6], [5, 2, 1, 6], [0, 4, 2, 6], [0, 2, 6, 4], [2, 4, 0, 6], [0, 2, 0, 6]]
    numbers = [[0, 1, 0, 1, 1, *image, 0, 0] for image in maps]
    numbers += [[0, 2, 0, 1, 1, *same, 1, 1, letter, 0] for letter in (2, 3)]
    numbers += [[0, 2, 0, 1, 1, 0, 2, 4, 8, 0, 0]]
    numbers += [
        [0, 2, 0, 1, 1, *same, 4096, *[0] * 4096, 0],
        [0, 2, 0, 1, 4097, *same * 4097, 0, 0],
    ]
    numbers += [[0, 2, 0, 1, 1, *same, 0, 4096, *[0] * 4096]]
    said = (b"".join(map(written, [*before, 0])) for before in numbers)
    return rows, [honest.to_bytes(), *(head + text for text in said)]


def moving() -> tuple[Rows, list[bytes]]:
    """False claims about a cube: the group of the claim inside turns the columns, or is not named.

    The map of the last file turns the columns and takes another one, which needs no step, into them.
    """
    cube = np.array(list(np.ndindex(2, 2, 2)))
    rows, honest = certificate_of(
        np.vstack([np.pad(cube, ((0, 0), (1, 0))), [[1] * 4, [1, 0, 0, 0]]])
    )
    head, made = honest.to_bytes()[:HEAD], [honest.to_bytes()]
    for image in ([0, 4, 6, 2], [0, 6, 2, 4]):
        for literal in range(2, 8):
            for kind in ([4, 0], [0]):
                numbers = [0, 2, 0, 2, 1, *image, 0, 0, 2 + literal, *kind, 1, 0]
                made.append(head + bytes(numbers))
    return rows, [*made, head + bytes([0, 2, 0, 2, 1, 2, 4, 6, 2, 0, 0, 3, 0, 0, 0])]


def turned_back() -> Iterator[tuple[Rows, list[bytes]]]:
    """False claims about rows that a turn of the columns keeps, with a step about a side of any column.

    The claim inside has no steps.  Rule 1 settles columns 0 and 1 there in the first table, and rule 2
    the first column of each orbit that rule 1 leaves over in the second.  The turn by two takes columns
    4 and 5 back to 0 and 1.  In the last table the turn takes all rows but the last one to rows.
    """
    for points, by, upper, codes in (
        (6, 2, 3, [3, 11, 12, 14, 30, 31, 35, 39, 44, 47, 48, 50, 55, 56, 57, 59, 61, 62, 63]),
        (6, 2, 3, [1, 4, 9, 16, 18, 30, 31, 36, 39, 43, 46, 47, 55, 57, 58, 59, 61, 62, 63]),
        (4, 1, 2, [9, 5, 14, 10, 6, 13, 12, 11, 7, 3, 8]),
    ):
        rows, honest = certificate_of(
            np.array([[code >> x & 1 for x in range(points)] for code in codes])
        )
        head, turn = honest.to_bytes()[:HEAD], [2 * ((x + by) % points) for x in range(points)]
        lies = (
            [0, upper, 0, 2, 1, *turn, 0, 0, 2 + literal, *kind, end, 0]
            for literal in range(2 * points)
            for kind in ([4, 0], [0])
            for end in (0, 1)
        )
        yield rows, [honest.to_bytes(), *(head + bytes(numbers) for numbers in lies)]


class Noting(Proof):
    """Keeps where claims end; for each reference its place, the claims by then, and which are meant.

    Also keeps the places of the kinds of steps with a claim inside.
    """

    def __init__(self, rows: Rows, text: Text) -> None:
        super().__init__(rows, text)
        self.ends: list[int] = []
        self.inside: list[int] = []
        self.found: list[tuple[int, int, int, Callable[[Claim], bool]]] = []

    def accept(self, *claim: Any) -> None:
        super().accept(*claim)
        self.ends.append(self.text.at - 1)

    def step(self, me: Claim, x: int, s: int, steps: dict[int, int]) -> None:
        at = self.text.at
        if self.text.data[at] in (0, 4):
            self.inside.append(at)
        super().step(me, x, s, steps)
        side, path, kind = self.side(me.rows, x, s), me.path | {(x, s)}, self.text.data[at]
        if kind == 2:
            self.found.append((at + 1, len(self.claims), -1, lambda claim: claim.path <= path))
        elif kind == 3:
            shape = self.shape(side)
            meant = (
                len(self.claims),
                len(side),
                lambda claim: covers(self.shape(claim.rows), shape),
            )
            self.found.append((at + 1, *meant))


def retargeted(rows: Rows, certificate: Certificate) -> tuple[list[bytes], list[bytes]]:
    """The certificate with all shapes kept, and with one reference to another set or shape.

    First those files where the other shape is one of as many rows.
    """
    proof = Noting(rows, Text(certificate.text))
    proof.prove(certificate.upper + 1)
    kept = bytearray(certificate.text)
    for end in proof.ends:
        kept[end] = 1
    near, far = list[Any](), list[Any]()
    for at, before, size, meant in proof.found:
        after = Text(certificate.text, at)
        after.number()
        for b, claim in enumerate(proof.claims[:before]):
            if not meant(claim):
                text = kept[:at] + written(before - 1 - b) + kept[after.at :]
                made = replace(certificate, text=bytes(text)).to_bytes()
                (near if len(claim.rows) == size else far).append(made)
    return near, far


def misdeclared(rows: Rows, certificate: Certificate, rng: np.random.Generator) -> Iterator[bytes]:
    """The certificate with symmetries that are none, or that are used where they do not hold."""
    points, text = len(rows[0]), Text(certificate.text)
    number = text.number
    generators = [[number() for _ in range(points)] for _ in range(number())]
    words, groups = ([[number() for _ in range(number())] for _ in range(number())] for _ in "12")
    elements = len(generators) + len(words)
    claims, made = certificate.text[text.at :], []

    def told(parts: Sequence[list[list[int]]], claims: bytes = claims) -> bytes:
        said = [len(parts[0]), *(image for numbers in parts[0] for image in numbers)]
        for part in parts[1:]:
            said += [
                len(part),
                *(number for numbers in part for number in (len(numbers), *numbers)),
            ]
        text = b"".join(map(written, said)) + claims
        return replace(certificate, text=text).to_bytes()

    for at, part in enumerate((generators, words, groups)):
        for i, numbers in enumerate(part[:3]):
            for a, b in rng.integers(len(numbers), size=(2, 2)).tolist() if numbers else ():
                swapped, inverse, any_, beyond = (numbers.copy() for _ in range(4))
                swapped[a], swapped[b] = swapped[b], swapped[a]
                inverse[a] ^= 1
                any_[a] = int(rng.integers(elements))
                beyond[a] = 2 * max(points, elements)
                for wrong in (swapped, inverse, any_, beyond, [0] * len(numbers)):
                    parts = [generators, words, groups]
                    parts[at] = [*part[:i], wrong, *part[i + 1 :]]
                    made.append(told(parts))
    proof = Noting(rows, Text(certificate.text))
    proof.prove(certificate.upper + 1)
    for at in proof.inside:
        after = Text(certificate.text, at)
        if after.number() == 4:
            after.number()
        for group in range(len(groups) + 2):
            step = written(4) + written(group) + certificate.text[after.at :]
            made.append(told([generators, words, groups], certificate.text[text.at : at] + step))
    refused = (made[i] for i in rng.permutation(len(made)) if proved(rows, made[i]) is None)
    yield from islice(refused, 60)


def changed(data: bytes, rng: Random) -> bytes:
    """Another file: the result of the first change that is one."""
    made = data
    while made == data:
        made = change(data, rng)
    return made


def change(data: bytes, rng: Random) -> bytes:
    """Some bytes set, removed or repeated, mostly behind the fingerprint; or one number replaced."""
    if rng.random() < 0.5:
        text, numbers = Text(data, HEAD), []
        while text.at < len(data):
            numbers.append(text.number())
        at = rng.randrange(len(numbers))
        near = numbers[at] + rng.choice([-2, -1, 1, 2])
        numbers[at] = max(0, rng.choice([near, rng.choice(numbers), rng.randrange(20)]))
        return data[:HEAD] + b"".join(map(written, numbers))
    made = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(HEAD if rng.random() < 0.95 else 0, len(made))
        kind = rng.randrange(4)
        if kind == 0:
            made[at] = rng.randrange(256)
        elif kind == 1:
            made[at] ^= 1 << rng.randrange(8)
        elif kind == 2 and len(made) > HEAD + 9:
            del made[at : at + rng.randrange(1, 9)]
        else:
            made[at:at] = made[rng.randrange(len(made)) :][: rng.randrange(1, 9)]
    return bytes(made)


class Liar(Proof):
    """Writes claims of a bound that is false: where it knows no proof, it makes one up."""

    def __init__(self, rows: Rows, rng: np.random.Generator) -> None:
        super().__init__(rows, Text(b""))
        self._rng = rng
        self._lie = int(rng.integers(7))  # the kind of step that it lies with, and other ways
        self._declares = bool(rng.integers(2))  # a group of the identity

    def write(self, k: int) -> tuple[bytes, int]:
        text = self._claim(k, frozenset(), list(range(len(self.table))))
        identity = [np.arange(2 * len(self.table[0]))] if self._declares else []
        return declare_symmetries(identity, [], []) + text, len(self.claims)

    def _claim(self, k: int, path: frozenset[tuple[int, int]], rows: list[int]) -> bytes:
        rng, points = self._rng, range(len(self.table[0]))
        me = len(self.claims)
        self.claims.append(Claim(k, path, rows))
        out = b""
        steps: list[tuple[int, int]] = []
        stepless = self._lie == 0 or (self._lie == 6 and me > 0)
        if len(rows) >= 2**k and k > 1 and not stepless:
            for x in rng.permutation(points).tolist():
                sides = [self.side(rows, x, s) for s in (0, 1)]
                if min(map(len, sides)) < 2 or self.settled(rows, k, x, (), []):
                    continue
                s = int(len(sides[1]) < len(sides[0]))
                kind, number = self._lie, int(rng.integers(len(self.claims)))
                if kind == 1 and steps:
                    y, t = steps[int(rng.integers(len(steps)))]
                    number = 2 * y + t
                elif kind == 4:  # the claim follows from itself
                    kind, number = 2, len(self.claims) - 1 - me
                elif kind == 5:  # the side lies in itself
                    kind, number = 1, 2 * x + s
                elif kind in (1, 6) or len(self.claims) < 2:
                    kind = 0
                elif rng.random() < 0.8:  # a claim about few enough
                    fit = [i for i, claim in enumerate(self.claims) if claim.k < k]
                    number = len(self.claims) - 1 - int(rng.choice(fit or [0]))
                out += written(2 + 2 * x + s)
                out += b"\4\0" if kind == 0 and self._declares else written(kind)
                if kind == 0:
                    out += self._claim(k - 1, path | {(x, s)}, sides[s])
                else:
                    out += written(number)
                steps.append((x, s))
        return out + bytes([int(self._lie == 3)])
