"""Draws on arrays: each has the law of its definition, also where a word leaves it open."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from exact_draws import Draws, apart
from littlestone.privacy.mechanisms.bucket_labels import flip_chances
from littlestone.privacy.samplers import arrays
from littlestone.privacy.samplers.arrays import (
    draw_below,
    flip_coins,
    permute_and_flip,
    random_words,
    shuffle,
)
from littlestone.privacy.samplers.reals import Real
from littlestone.prove.audit.choices import Choices
from planting import Fault, turns_red

FEW = 4
"""Bits of a word that leaves many comparisons open."""
ARRAYS = "littlestone.privacy.samplers.arrays"


def coins(*chances: str) -> list[Real]:
    return [Real.of(Fraction(p)) for p in chances]


def law(run: Callable[[random.Random], Any], bits: int = FEW) -> dict[Any, Fraction]:
    """Along every outcome of words of few bits, but for what is less likely than 2^-40."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "WORD", bits)
        return Draws(Fraction(1, 1 << 40)).law(run)[0]


def uniform(outcomes: Sequence[Any]) -> dict[Any, Fraction]:
    return dict.fromkeys(outcomes, Fraction(1, len(outcomes)))


CLOSE = Fraction(1, 1 << 36)


def test_words_are_the_bits_of_the_generator() -> None:
    """All of them, in order and once, whoever asks."""
    for count in (0, 1, 2, 1000, (1 << 20) + 3):
        words, whole = random_words(count, random.Random(3)), random.Random(3)
        expected = whole.getrandbits(32 * count).to_bytes(4 * count, "little")
        assert words.astype("<u4").tobytes() == expected
        assert words.dtype == np.int64

    class Other(random.Random):
        pass

    one, alone = Other(3), random.Random(3)
    assert random_words(9, one).tolist() == [alone.getrandbits(32) for _ in range(9)]


def test_numbers_below_bounds_are_uniform() -> None:
    found = law(lambda rng: tuple(draw_below(np.array([3, 1, 5]), rng).tolist()))
    wanted = uniform([(a, 0, b) for a in range(3) for b in range(5)])
    assert apart(found, wanted) < CLOSE


@pytest.mark.parametrize(("bits", "bounds"), [(FEW, range(1, 17)), (12, (1001, 2049, 3000, 4096))])
def test_each_number_has_equally_many_words(bits: int, bounds: Sequence[int]) -> None:
    """On the arrays themselves: all words are given once, and then 0 as often as it is asked for."""
    for bound in bounds:
        given = [np.arange(1 << bits)]

        def words(count: int, rng: object, given: list[Any] = given) -> Any:
            return given.pop() if given else np.zeros(count, np.int64)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "WORD", bits)
            patch.setattr(arrays, "random_words", words)
            found = draw_below(np.full(1 << bits, bound), random.Random(1)).tolist()
        share, again = divmod(1 << bits, bound)
        assert Counter(found) == Counter(dict.fromkeys(range(bound), share)) + Counter({0: again})


def flip(chances: Sequence[str], which: list[int], rng: random.Random) -> tuple[bool, ...]:
    return tuple(flip_coins(coins(*chances), np.array(which), rng).tolist())


def test_coins_show_heads_as_often_as_they_say() -> None:
    chances = "0", "1/3", "1/1000", "999/1000", "1/2", "1"
    for i, p in enumerate(map(Fraction, chances)):
        found = law(partial(flip, chances, [i]))
        assert apart(found, {(True,): p, (False,): 1 - p}) < CLOSE, p
    two = law(partial(flip, ("1/3", "1/5"), [1, 0]))
    ways = product(zip((True, False), (1, 4), strict=True), zip((True, False), (1, 2), strict=True))
    assert apart(two, {(a, b): Fraction(p * q, 15) for (a, p), (b, q) in ways}) < CLOSE


def test_a_word_at_the_chance_is_decided_by_further_bits() -> None:
    """The word is the first of U = p and its neighbours, in arrays."""
    p = Fraction(1, 3)
    for word, heads in ((4, {True}), (5, {True, False}), (6, {False})):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "WORD", FEW)
            patch.setattr(arrays, "random_words", lambda n, _, w=word: np.full(n, w))
            rng, which = random.Random(1), np.zeros(200, int)
            found = flip_coins([Real.of(p)], which, rng).tolist()
        assert set(found) == heads
    # U = 5/16 + V/16 is below 1/3 with probability 1/3.
    assert 40 < sum(flip_of_five()) < 100


def test_each_flip_of_many_has_its_own_word_and_coin() -> None:
    """Of 3,000 coins and 9,000 words, all in another order."""
    own, which = np.arange(3000) * 7 % (1 << 12), np.arange(9000) * 11 % 3000
    words = np.arange(9000) * 13 % (1 << 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "WORD", 12)
        patch.setattr(arrays, "random_words", lambda count, _: words[:count])
        made = [Real.of(Fraction(p, 1 << 12)) for p in own.tolist()]
        assert np.array_equal(flip_coins(made, which, random.Random(1)), words < own[which])


def flip_of_five() -> list[bool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "WORD", FEW)
        patch.setattr(arrays, "random_words", lambda n, _: np.full(n, 5))
        found: list[bool] = flip_coins(coins("1/3"), np.zeros(200, int), random.Random(2)).tolist()
    return found


def test_a_race_has_the_law_of_permute_and_flip() -> None:
    """In two rows at once, each by its own coins."""
    sizes, which = np.array([3, 2]), np.array([0, 1, 2, 0, 1])
    own, (one, third) = coins("1", "1/3", "0"), (Fraction(1), Fraction(1, 3))
    found = law(lambda rng: tuple(permute_and_flip(sizes, own, which, rng).tolist()), 12)
    rows = [flip_chances(of_row) for of_row in ([one, third, Fraction(0)], [one, third])]
    wanted = {(i, 3 + j): p * q for i, p in enumerate(rows[0]) for j, q in enumerate(rows[1])}
    assert apart(found, wanted) < CLOSE


@pytest.mark.parametrize("candidates", [3, 400])
def test_candidates_are_visited_once_in_random_order(candidates: int) -> None:
    rng, seen = random.Random(1), list[list[int]]()
    which = np.arange(candidates)

    def flips(coins: object, visited: Any, rng: object) -> Any:
        seen[-1].extend(visited.tolist())
        return np.array([len(seen[-1]) == candidates])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "flip_coins", flips)
        for _ in range(30):
            seen.append([])
            assert permute_and_flip(np.array([candidates]), [], which, rng) == seen[-1][-1:]
    assert all(sorted(order) == which.tolist() for order in seen)
    assert len({tuple(order) for order in seen}) == (6 if candidates == 3 else 30)
    assert {order[0] < candidates // 2 for order in seen} == {True, False}


def bounds_asked(run: Callable[[random.Random], object]) -> list[list[int]]:
    asked = list[list[int]]()

    def draw(bounds: Any, rng: random.Random) -> Any:
        asked.append(bounds.tolist())
        return draw_below(bounds, rng)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "draw_below", draw)
        run(random.Random(1))
    return asked


@pytest.mark.parametrize(("rows", "size"), [(1, 3000), (4000, 3), (2, 1)])
def test_each_visit_is_to_one_of_those_that_are_left(rows: int, size: int) -> None:
    """All of a row are visited before the last, which alone shows heads, is taken."""
    seen, sizes, which = list[int](), np.full(rows, size), np.arange(rows * size)

    def flips(coins: object, visited: Any, rng: object) -> Any:
        seen.extend(visited.tolist())
        return np.full(rows, len(seen) == rows * size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "flip_coins", flips)
        asked = bounds_asked(lambda rng: permute_and_flip(sizes, [], which, rng))
    assert asked == [[left] * rows for left in range(size, 0, -1)]
    assert sorted(seen) == which.tolist()


def test_a_shuffle_of_many_takes_each_from_all_that_are_left() -> None:
    assert bounds_asked(lambda rng: shuffle(["a"] * 3000, rng)) == [list(range(3000, 0, -1))]


def test_a_shuffle_is_uniform() -> None:
    choices = Choices()
    found = choices.explore(lambda: tuple(shuffle(["a", "b", "c"], choices.generator())), CLOSE**3)
    assert apart(found, uniform(list(permutations("abc")))) < Fraction(1, 1 << 24)
    many = shuffle(list(range(1000)), random.Random(1))
    assert sorted(many) == list(range(1000)) != many


FAULTS: dict[Fault, Callable[[], None]] = {
    Fault(f"{ARRAYS}:random_words", '"little"', '"big"', "other bits"):
        test_words_are_the_bits_of_the_generator,
    Fault(f"{ARRAYS}:random_words", "min(_AT_ONCE, count - first)", "min(_AT_ONCE, count)",
          "a last block is as long as the others"): test_words_are_the_bits_of_the_generator,
    Fault(f"{ARRAYS}:random_words", "for k in sizes", "for k in sizes for rng in [random.Random(3)]",
          "each block has the bits of the first"): test_words_are_the_bits_of_the_generator,
    Fault(f"{ARRAYS}:draw_below", "share * bounds[left])",
          "share * bounds[left] + (bounds[left] > 1000))",
          "the last of more than 1,000 numbers has one word more"):
        partial(test_each_number_has_equally_many_words, 12, (3000,)),
    Fault(f"{ARRAYS}:draw_below", "(1 << WORD) // bounds[left]",
          "((1 << WORD) + (bounds[left] > 2000) * (bounds[left] - 1)) // bounds[left]",
          "of more than 2,000 numbers the first have more words"):
        partial(test_each_number_has_equally_many_words, 12, (3000,)),
    Fault(f"{ARRAYS}:draw_below", "share * bounds[left]", "share * bounds[left] + 1",
          "the last number has one word more"): test_numbers_below_bounds_are_uniform,
    Fault(f"{ARRAYS}:draw_below", "np.less(words, share * bounds[left])", "np.less(words, 1 << WORD)",
          "the words that are left over make a number beyond the bound"):
        partial(test_each_number_has_equally_many_words, FEW, range(1, 17)),
    Fault(f"{ARRAYS}:flip_coins", "random_words(len(which), rng)",
          "np.resize(random_words(min(len(which), 5000), rng), len(which))",
          "of many coins some share a word"): test_each_flip_of_many_has_its_own_word_and_coin,
    Fault(f"{ARRAYS}:flip_coins", "low[which]", "low[np.minimum(which, 1000)]",
          "all coins after the first thousand are one"):
        test_each_flip_of_many_has_its_own_word_and_coin,
    Fault(f"{ARRAYS}:flip_coins", "int(words[j])), rng)", "int(words[0])), rng)",
          "an open coin is decided by the word of the first"):
        test_coins_show_heads_as_often_as_they_say,
    Fault(f"{ARRAYS}:flip_coins", "bernoulli(_rest(coins[which[j]], int(words[j])), rng)",
          "rng.getrandbits(20) < _rest(coins[which[j]], int(words[j])).enclose(20)[0]",
          "what a word leaves open is decided by 20 bits"):
        test_coins_show_heads_as_often_as_they_say,
    Fault(f"{ARRAYS}:flip_coins", "bernoulli(_rest(coins[which[j]], int(words[j])), rng)", "True",
          "what a word leaves open is heads"): test_coins_show_heads_as_often_as_they_say,
    Fault(f"{ARRAYS}:flip_coins", "np.less(words, low[which])", "np.less(words, high[which])",
          "chances are rounded up to a word"): test_coins_show_heads_as_often_as_they_say,
    Fault(f"{ARRAYS}:flip_coins", "random_words(len(which), rng)",
          "np.repeat(random_words(1, rng), len(which))", "one word for all coins"):
        test_coins_show_heads_as_often_as_they_say,
    Fault(f"{ARRAYS}:_rest", "(word << bits)", "0", "further bits begin anew"):
        test_a_word_at_the_chance_is_decided_by_further_bits,
    Fault(f"{ARRAYS}:permute_and_flip", "draw_below(sizes[racing], rng)", "0",
          "candidates are visited in one order"): test_a_race_has_the_law_of_permute_and_flip,
    Fault(f"{ARRAYS}:permute_and_flip", "draw_below(sizes[racing], rng)",
          "draw_below(np.minimum(sizes[racing], 1 + 200 // len(left) * len(left)), rng)",
          "many candidates are visited in one order"):
        lambda: test_candidates_are_visited_once_in_random_order(400),
    Fault(f"{ARRAYS}:permute_and_flip", "left[starts[racing] + sizes[racing]]",
          "left[starts[racing] + sizes[racing] * (len(left) < 300)]",
          "of many candidates some are visited twice"):
        lambda: test_candidates_are_visited_once_in_random_order(400),
    Fault(f"{ARRAYS}:permute_and_flip", "draw_below(sizes[racing], rng)",
          "draw_below(np.minimum(sizes[racing], 2000), rng)",
          "the last of many candidates come late"):
        partial(test_each_visit_is_to_one_of_those_that_are_left, 1, 3000),
    Fault(f"{ARRAYS}:permute_and_flip", "left[starts[racing] + sizes[racing]]",
          "left[starts[racing] + sizes[racing] * (len(racing) < 3000)]",
          "in many rows some are visited twice"):
        partial(test_each_visit_is_to_one_of_those_that_are_left, 4000, 3),
    Fault(f"{ARRAYS}:shuffle", "np.arange(len(order), 0, -1)",
          "np.minimum(np.arange(len(order), 0, -1), 256)", "of many none moves far"):
        test_a_shuffle_of_many_takes_each_from_all_that_are_left,
    Fault(f"{ARRAYS}:shuffle", "np.arange(len(order), 0, -1)", "np.full(len(order), 1)",
          "the order stays"): test_a_shuffle_is_uniform,
    Fault(f"{ARRAYS}:shuffle", "order[i], order[i + step] = order[i + step], order[i]",
          "order[0], order[step] = order[step], order[0]", "some orders are likelier"):
        test_a_shuffle_is_uniform,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.mistake)
def test_other_draws_are_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    turns_red(fault, FAULTS[fault], monkeypatch)
