"""Decision trees over columns: what they predict, how they read, and their form in a model."""

import copy
import json
import random
import re
from functools import partial
from itertools import product
from typing import Any

import pytest

from littlestone.base.errors import ModelError
from littlestone.classes import parse_class
from littlestone.points import Cells, Codes, Domain, Grid, Listed, Product, Strings
from littlestone.rules import Hypothesis, disagreement
from littlestone.rules.nodes import ColumnTest, Node, Split, at_least, conjunction, prune, split
from littlestone.rules.trees import DecisionTree

TABLE = Product(
    (Cells(("0", "18", "65"), "age"), Listed(("F", "M"), "sex"), Strings("ward"), Codes("code"))
)
DECLARED = Product(TABLE.columns[:2])
disjunction = partial(at_least, 1)

YOUNG = ColumnTest(0, frozenset(["0"]))
OLD = ColumnTest(0, frozenset(["65"]))
NO_AGE = ColumnTest(0, frozenset([""]))
OUTER = ColumnTest(0, frozenset(["", "0", "65"]))
FEMALE = ColumnTest(1, frozenset(["F"]))
OTHER_SEX = ColumnTest(1, frozenset(["", "(other)"]))
ICU = ColumnTest(2, frozenset(["ICU"]))
NO_WARD = ColumnTest(2, frozenset([""]))
SPACED = ColumnTest(2, frozenset(["a b"]))
CODE = ColumnTest(3, frozenset(["7"]))

WORDS: dict[str, Node] = {
    "always 0": 0,
    "always 1": 1,
    "age < 18": Split(YOUNG, 1, 0),
    "age is missing": Split(NO_AGE, 1, 0),
    "age is not missing": Split(ColumnTest(0, frozenset(["0", "18", "65"])), 1, 0),
    "age is missing or age < 18 or age >= 65": Split(OUTER, 1, 0),
    "age >= 65 and sex is F": conjunction([OLD, FEMALE]),
    "age >= 65 or sex is F": disjunction([OLD, FEMALE]),
    "(age is missing or age < 18 or age >= 65) and sex is F": conjunction([OUTER, FEMALE]),
    "sex is missing or sex is (other)": Split(OTHER_SEX, 1, 0),
    "ward is ICU and code is 7": conjunction([ICU, CODE]),
    "ward is missing": Split(NO_WARD, 1, 0),
    "ward is 'a b'": Split(SPACED, 1, 0),
    "age is missing or age < 65": Split(OLD, 0, 1),
    "0 if sex is F, else 1": Split(FEMALE, 0, 1),
    "(age >= 65 and sex is F) or age < 18": conjunction([OLD, FEMALE], 1, Split(YOUNG, 1, 0)),
    "if age >= 65 then (0 if sex is F, else 1), else 0": Split(OLD, Split(FEMALE, 0, 1), 0),
    "if age >= 65 then (1 if sex is F, else 0), else (1 if age < 18, else 0)": Split(
        OLD, Split(FEMALE, 1, 0), Split(YOUNG, 1, 0)
    ),
}


def test_a_split_without_a_difference() -> None:
    assert DecisionTree(TABLE, Split(OLD, 1, 1)).words() == "always 1"


@pytest.mark.parametrize("words", WORDS)
def test_words(words: str) -> None:
    assert DecisionTree(TABLE, WORDS[words]).words() == words


def test_words_of_several_labels() -> None:
    tree = DecisionTree(TABLE, Split(OLD, 2, Split(FEMALE, 1, 0)), 3)
    assert tree.words() == "2 if age >= 65, else 1 if sex is F, else 0"
    assert (
        tree.words_with(["late", "early", "lost"])
        == "lost if age >= 65, else early if sex is F, else late"
    )
    assert DecisionTree(TABLE, Split(OLD, 1, 0), 3).words() == "1 if age >= 65, else 0"
    assert DecisionTree(TABLE, 2, 3).words_with(["late", "early", "lost"]) == "always lost"


def test_predictions_of_raw_values() -> None:
    """A value is first made a point: below or above the range, off the list, missing, unreadable."""
    tree = DecisionTree(DECLARED, Split(OLD, 0, Split(OTHER_SEX, 1, Split(NO_AGE, 1, 0))))
    asked = {
        (1e9, "F"): 0, ("65", "x"): 0, (-5, "F"): 0, (17, "x"): 1, (17, None): 1, (None, "M"): 1,
        ("n/a", "F"): 1, ((), object()): 1, (float("nan"), "M"): 1, (): 1, (20,): 1,
    }  # fmt: skip
    for raw, label in asked.items():
        assert tree(DECLARED.encode(raw)) == label


def random_node(rng: random.Random, tests: list[ColumnTest], labels: int, depth: int) -> Node:
    if not depth or rng.random() < 0.2:
        return rng.randrange(labels)
    yes, no = (random_node(rng, tests, labels, depth - 1) for _ in range(2))
    return split(rng.choice(tests), yes, no)


TESTS = [YOUNG, OLD, NO_AGE, OUTER, FEMALE, OTHER_SEX]


@pytest.mark.parametrize("labels", [2, 3])
def test_a_witness_shows_the_difference(labels: int) -> None:
    rng = random.Random(1)
    for _ in range(300):
        f, g = (DecisionTree(DECLARED, random_node(rng, TESTS, labels, 3), labels) for _ in "fg")
        differ = [x for x in DECLARED if f(x) != g(x)]
        x = disagreement(f, g)
        assert (x is None) == (not differ)
        assert x is None or x in differ
        canonical = [DecisionTree.of_labels(DECLARED, h, labels) for h in (f, g)]
        assert (canonical[0] == canonical[1]) == (not differ)
        assert all(canonical[0](x) == f(x) for x in DECLARED)


def reached(node: Node, points: list[Any]) -> bool:
    """Whether some of the points reaches each branch of each test, and no test has equal branches."""
    if not isinstance(node, Split):
        return True
    sides: Any = ([], [])
    for x in points:
        sides[x[node.test.column] in node.test.accepted].append(x)
    no, yes = sides
    return bool(
        yes and no and node.yes != node.no and reached(node.yes, yes) and reached(node.no, no)
    )


def test_pruned_trees_ask_only_what_is_not_known() -> None:
    rng = random.Random(5)
    for _ in range(300):
        tree = DecisionTree(DECLARED, random_node(rng, TESTS, 2, 5))
        found = DecisionTree(DECLARED, prune(tree.root, DECLARED))
        assert reached(found.root, list(DECLARED))
        assert disagreement(tree, found) is None


def test_a_witness_on_open_columns() -> None:
    tests, rng = [ICU, NO_WARD, SPACED, CODE, YOUNG], random.Random(2)
    points = list(product(("", "0", "65"), ("F",), ("ICU", "", "a b", "new"), ("7", "", "9")))
    for _ in range(200):
        f, g = (DecisionTree(TABLE, random_node(rng, tests, 2, 3)) for _ in "fg")
        x = disagreement(f, g)
        assert (x is None) == all(f(p) == g(p) for p in points)
        assert x is None or (x in TABLE and f(x) != g(x))


def test_labels_of_points_are_changed() -> None:
    tree = DecisionTree(DECLARED, conjunction([OLD, FEMALE]))
    x = ("", "(other)")
    changed: Any = tree.patch({x: 1, ("65", "F"): 1})
    assert [y for y in DECLARED if changed(y) != tree(y)] == [x]
    assert tree.patch({x: 0}) is tree
    assert DecisionTree(TABLE, 0).patch({("0", "F", "a", "7"): 1}) is None


@pytest.mark.parametrize("labels", [2, 3])
def test_a_tree_survives_its_file(labels: int) -> None:
    rng = random.Random(3)
    for table, tests in ((DECLARED, TESTS), (TABLE, [*TESTS, ICU, NO_WARD, CODE])):
        for _ in range(100):
            tree = DecisionTree(table, random_node(rng, tests, labels, 4), labels)
            assert Hypothesis.from_json(json.loads(json.dumps(tree.to_json()))) == tree
            assert Hypothesis.from_json(tree.to_json()).words() == tree.words()


@pytest.mark.parametrize(
    ("text", "labels"),
    [("conditions(x at {0, 5}, s in {a}; at most 2)", 2), ("trees(x at {0}, s in {a}; depth 2)", 2),
     ("trees(x at {0}, s in {a}; depth 1)", 3), ("rule_list(x at {0, 5}; at most 2)", 3),
     ("rule_sets(x at {0, 5}, s in {a}; at most 2 rules of 2)", 2)],
)  # fmt: skip
def test_a_soa_survives_its_file(text: str, labels: int) -> None:
    soa: Any = parse_class(text, labels=labels).soa()
    assert soa.labels == labels
    assert Hypothesis.from_json(json.loads(json.dumps(soa.to_json()))) == soa


DAMAGES: dict[str, Any] = {
    "no tree": lambda form: form.pop("tree"),
    "no labels": lambda form: form.pop("labels"),
    "a label too large": lambda form: form.update(tree=2),
    "a label that is true": lambda form: form.update(tree=True),
    "a label in words": lambda form: form.update(tree="1"),
    "no node": lambda form: form.update(tree=[]),
    "no column": lambda form: form["tree"].__setitem__(0, 4),
    "a column from the end": lambda form: form["tree"].__setitem__(0, -1),
    "a column that is true": lambda form: form["tree"].__setitem__(0, True),
    "no list of values": lambda form: form["tree"].__setitem__(1, "65"),
    "an unknown cell": lambda form: form["tree"].__setitem__(1, [["66", "66"]]),
    "half a run": lambda form: form["tree"].__setitem__(1, [["65"]]),
    "a run backwards": lambda form: form["tree"].__setitem__(1, [["65", "0"]]),
    "no values": lambda form: form["tree"].__setitem__(1, []),
    "a run twice": lambda form: form["tree"].__setitem__(1, [["65", "65"], ["65", "65"]]),
    "no second branch": lambda form: form["tree"].pop(),
    "a branch too many": lambda form: form["tree"].append(0),
    "an open value that is no text": lambda form: form.update(tree=[2, [7], 1, 0]),
    "a code that is not a number": lambda form: form.update(tree=[3, ["x"], 1, 0]),
    "a code in another form": lambda form: form.update(tree=[3, ["07"], 1, 0]),
    "another domain": lambda form: form.update(domain=Grid(0, 9).to_json()),
    "a little too deep": lambda form: form.update(tree=nested(302)),
    "too deep": lambda form: form.update(tree=nested(2000)),
}


def nested(depth: int) -> Any:
    form: Any = 0
    for _ in range(depth):
        form = [0, [["65", "65"]], 1, form]
    return form


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_form_is_refused(damage: str) -> None:
    form: Any = copy.deepcopy(DecisionTree(TABLE, conjunction([OLD, ICU])).to_json())
    assert Hypothesis.from_json(form).words() == "age >= 65 and ward is ICU"
    DAMAGES[damage](form)
    with pytest.raises(ModelError):
        Hypothesis.from_json(form)


@pytest.mark.parametrize("column", TABLE.columns, ids=str)
def test_a_column_survives_its_file(column: Domain[Any]) -> None:
    assert Domain.from_json(json.loads(json.dumps(column.to_json()))) == column


_AGE, _WARD = Cells(("0", "10", "20", "30"), "age"), Listed(("ICU", "ER"), "ward")


def _at_least(cut: int) -> ColumnTest:
    return ColumnTest(0, frozenset(v for v in _AGE.starts if int(v) >= cut))


def _random_node(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.2:
        return rng.randrange(2)
    j = rng.randrange(2)
    column = (_AGE, _WARD)[j]
    accepted = frozenset(rng.sample(column.points, rng.randrange(len(column.points) + 1)))
    test = _at_least(rng.choice([10, 20, 30])) if j == 0 and rng.random() < 0.5 else None
    return Split(
        test or ColumnTest(j, accepted), _random_node(rng, depth - 1), _random_node(rng, depth - 1)
    )


def _evaluated(words: str, age: str, ward: str) -> bool:
    """What a person reads in the words, for this record."""
    python = re.sub(r"(\S+) <= age < (\d+)", r"known and \1 <= age < \2", words)
    python = re.sub(r"(?<!<= )age (>=|<) (\d+)", r"known and age \1 \2", python)
    python = python.replace("age is not missing", "known").replace("age is missing", "not known")
    python = re.sub(r"ward is (\(other\)|\w+)", lambda m: f"ward == {m[1]!r}", python)
    python = re.sub(r"\balways (\d)", r"bool(\1)", python).replace("never", "False")
    python = re.sub(r", else", " else", python)
    names = {"known": bool(age), "age": int(age or 0), "ward": ward or "missing"}
    return bool(eval(python, {"__builtins__": {"bool": bool}}, names))


def test_the_words_say_the_function() -> None:
    """Also where tests that say nothing more are left out of them."""
    rng, domain, said = random.Random(5), Product((_AGE, _WARD)), 0
    for _ in range(400):
        rule = DecisionTree(domain, _random_node(rng, 3))
        words = rule.condition or rule.words()
        if "then" in words:
            continue
        said += bool(rule.condition)
        for age, ward in domain:
            assert _evaluated(words, age, ward) == rule((age, ward)), words
    assert said > 100


@pytest.mark.parametrize(
    ("root", "words"),
    [
        (disjunction([_at_least(30), _at_least(20)]), "age >= 20"),
        (
            disjunction([_at_least(30), ColumnTest(1, frozenset(["ER"])), _at_least(20)]),
            "ward is ER or age >= 20",
        ),
        (
            conjunction([_at_least(10), ColumnTest(1, frozenset(["ER"])), _at_least(20)]),
            "age >= 20 and ward is ER",
        ),
        (Split(_at_least(10), Split(_at_least(30), 0, 1), 0), "10 <= age < 30"),
        (Split(ColumnTest(0, frozenset([""])), 0, Split(_at_least(20), 1, 0)), "age >= 20"),
        (Split(_at_least(20), 0, 1), "age is missing or age < 20"),
        (Split(ColumnTest(1, frozenset(["ICU"])), 0, 1), ""),
        (
            conjunction(
                [_at_least(20)], disjunction([ColumnTest(1, frozenset([v])) for v in _WARD.values])
            ),
            "age >= 20 and (ward is ICU or ward is ER)",
        ),
    ],
)
def test_the_words_of_a_rule_leave_out_what_says_nothing_more(root: Any, words: str) -> None:
    assert DecisionTree(Product((_AGE, _WARD)), root).condition == words


def test_the_same_label_is_said_once() -> None:
    er = ColumnTest(1, frozenset(["ER"]))
    root = Split(_at_least(30), 2, Split(er, 2, Split(_at_least(20), 1, 0)))
    tree = DecisionTree(Product((_AGE, _WARD)), root, 3)
    assert tree.words() == "2 if age >= 30 or ward is ER, else 1 if age >= 20, else 0"
