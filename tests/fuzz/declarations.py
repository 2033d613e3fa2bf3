"""Random declarations, and what they are answered with: a value or one of the package's own errors.

A case is a function of its number: a text, parameters, and one thing to do with them, through the
functions that the command line calls.  ``python tests/fuzz/declarations.py 20000`` runs so many,
each under a limit of CPU time, and prints those that raised another error or took longer.
"""

from __future__ import annotations

import faulthandler
import json
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pools

from littlestone.base.discovery import concrete
from littlestone.base.errors import LittlestoneError
from littlestone.base.work import answering
from littlestone.classes import HypothesisClass, parse_class
from littlestone.classes.text.declared import DeclaredClass
from littlestone.cli.console import finite_or_text
from littlestone.cli.dim import printable_number
from littlestone.cli.tree import _solve
from littlestone.data.label import Label, label_names
from littlestone.data.sample import Sample
from littlestone.learn import PrivateLearner, Release
from littlestone.learn.declared.declaration import Declaration
from littlestone.learn.declared.task import Task
from littlestone.learn.plan import choose_learner
from littlestone.learn.plan import plan as planned
from littlestone.learn.stream import PrivateOnlineLearner, online_choice
from littlestone.points import Domain
from littlestone.points.labels import check_labels
from littlestone.privacy import Budget
from littlestone.privacy.ledger import Ledger
from littlestone.privacy.randomness import seeded_generator
from littlestone.show.tree import class_tree
from littlestone.theory.decomposition.tree_search import depth_parameter
from littlestone.theory.game import StandardOptimalAlgorithm, TreeAdversary
from littlestone.theory.game import play as play_game

SECONDS = 2.0
LONGER = {"fit": 60.0, "fit_labels": 60.0, "stream": 60.0}
"""Actions whose work is estimated and not refused, and so takes longer than an answer."""
_HARD = 600  # seconds after which a case that does not even hear a signal is killed
_CHUNK = 500
_MEMORY = 12 << 30  # of addresses; the solver reserves what it seldom touches


class SlowError(BaseException):
    """A case took more CPU time than it may; no `Exception`, so that nothing catches it."""


@dataclass(frozen=True)
class Case:
    """One thing to do with a declaration; ``goal`` holds whatever the thing asks for."""

    number: int
    action: str
    text: str
    goal: dict[str, Any]

    def run(self) -> None:
        """Do it; whatever is raised but a `LittlestoneError` is a defect."""
        ACTIONS[self.action](self.text, **self.goal)

    def __str__(self) -> str:
        goal = ", ".join(f"{name}={_shown(value)}" for name, value in self.goal.items())
        return f"{self.number} {self.action} {_shown(self.text)} {goal}"


def case(number: int) -> Case:
    """The case of that number."""
    rng = random.Random(f"declarations {number}")
    return Draw(rng).case(number)


# What the command line does with a declaration, without the printing.


def _dim(text: str) -> None:
    H = parse_class(text)
    finite_or_text(H.littlestone_dimension())
    str(H), [str(printable_number(size)) for size in (H.size, H.domain.size) if size is not None]


def _tree(text: str, levels: int) -> None:
    class_tree(parse_class(text), levels)


def _decompose(text: str, p: int, d: int | None) -> None:
    H = parse_class(text)
    _solve(H, p, depth_parameter(H, p, d))


def _play(text: str, rounds: int) -> None:
    H = parse_class(text)
    with answering():
        play_game(StandardOptimalAlgorithm(H), TreeAdversary(H), rounds=rounds)


def _parsed(epsilon: str, delta: str, **goal: Any) -> dict[str, Any]:
    return {"budget": Budget(epsilon, delta), **goal}


def _plan(text: str, n: int | None, **goal: Any) -> None:
    found = planned(parse_class(text), **_parsed(**goal))
    if n is not None:
        found.at(n)


def _plan_labels(text: str, labels: str, n: int | None, **goal: Any) -> None:
    found = planned(_of_several(text, labels), **_parsed(**goal))
    if n is not None:
        found.at(n)


def _of_several(text: str, labels: str) -> HypothesisClass[Any]:
    return parse_class(text, len(check_labels(label_names(labels))))


def _task(text: str, **goal: Any) -> None:
    said = {name: goal.pop(name, None) for name in ("positive", "labels", "default")}
    task = Task.choose(Declaration.parse(Label.parse("y", **said), text, **goal))
    task.event.cost(), task.event.guarantee(), str(task.event), task.learner.cost()


def _online(text: str, **goal: Any) -> None:
    learner, _ = online_choice(parse_class(text), **_parsed(**goal))
    learner.cost(), learner.event.guarantee(), learner.declared_sizes


def _label(text: str) -> None:
    Label.parse("y", text)("1")


def _fit(text: str, n: int, seed: int, **goal: Any) -> None:
    H, rng = parse_class(text), seeded_generator(seed)
    learner, _ = choose_learner(H, **_parsed(**goal))
    points = _points(H.domain, rng)
    sample = Sample.from_examples(
        H.domain, [(rng.choice(points), rng.randrange(2)) for _ in range(n)]
    )
    with Ledger() as book:
        release = learner.fit(sample, ledger=book, dataset="d", rng=rng)
    Release.from_json(json.loads(json.dumps(release.to_json())))


def _fit_labels(text: str, labels: str, n: int, seed: int, **goal: Any) -> None:
    names = check_labels(label_names(labels))
    H, rng = parse_class(text, len(names)), seeded_generator(seed)
    learner, _ = choose_learner(H, **_parsed(**goal))
    points = _points(H.domain, rng)
    examples = [(rng.choice(points), rng.choice(names)) for _ in range(n)]
    sample = Sample.from_examples(H.domain, examples, labels=names)
    with Ledger() as book:
        release = learner.fit(sample, ledger=book, dataset="d", labels=names, rng=rng)
    Release.from_json(json.loads(json.dumps(release.to_json())))


def _stream(text: str, n: int, seed: int, **goal: Any) -> None:
    H, rng = parse_class(text), seeded_generator(seed)
    learner, _ = online_choice(H, **_parsed(**goal))
    points = _points(H.domain, rng)
    lines: list[Any] = []
    with Ledger() as book:
        run = learner.begin(learner.pay(book, "d", "y", rng), lines.append)
    for _ in range(n):
        x = rng.choice(points)
        run.predict(x)
        run.update(x, rng.randrange(2))


def _points(domain: Domain[Any], rng: random.Random) -> list[Any]:
    return [domain.random_point(rng) for _ in range(6)]


ACTIONS: dict[str, Callable[..., None]] = {
    "dim": _dim,
    "tree": _tree,
    "decompose": _decompose,
    "play": _play,
    "plan": _plan,
    "plan_labels": _plan_labels,
    "task": _task,
    "online": _online,
    "label": _label,
    "fit": _fit,
    "fit_labels": _fit_labels,
    "stream": _stream,
}

_LEARNERS = concrete(PrivateLearner, "littlestone.learn")  # type: ignore[type-abstract]
_METHODS = ["auto", *(kind.method for kind in _LEARNERS)]
_SEVERAL = ["auto", *(kind.method for kind in _LEARNERS if kind.several)]
_ONLINE = [
    "auto",
    *(kind.method for kind in concrete(PrivateOnlineLearner, "littlestone.learn.stream")),  # type: ignore[type-abstract]
]
_DECLARED = concrete(DeclaredClass, "littlestone.classes")  # type: ignore[type-abstract]
_EXAMPLES = [str(H) for kind in _DECLARED for H in kind.examples()]
_SEVERAL_EXAMPLES = [str(H) for kind in _DECLARED if kind.several for H in kind.examples()]


class Draw:
    """What a case is made of, drawn from one generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pick = rng.choice

    def case(self, number: int) -> Case:
        """A case: a thing to do, a text that may be strange, and parameters."""
        action = self.pick([*ACTIONS, "plan", "task", "task", "online", "fit", "fit", "stream"])
        several = action in ("plan_labels", "fit_labels") or (
            action == "task" and self.rng.random() < 0.3
        )
        text = self.several() if several else self.text()
        if self.rng.random() < 0.15:
            text = self.mutated(text)
        return Case(number, action, text, self.goal(action, several))

    def goal(self, action: str, several: bool) -> dict[str, Any]:
        private = {"epsilon": self.epsilon(), "delta": self.delta()}
        size = {"n": self.rng.choice([1, 2, 5, 20, 50]), "seed": self.rng.randrange(1 << 30)}
        setting = self.pick(["realizable", "realizable", "agnostic", "agnostic", "both"])
        accuracy = {"alpha": self.accuracy(), "beta": self.accuracy()}
        method = self.pick(_SEVERAL if several else _METHODS)
        if self.rng.random() < 0.3:
            method = "auto"
        asked: dict[str, Any] = {"method": method, "setting": setting}
        match action:
            case "tree":
                return {"levels": self.rng.randrange(1, 9)}
            case "decompose":
                p, d = [1, 1, 2, 3, 8, 100, 10**6, 0], [None, None, 1, 5, 10**6, -1]
                return {"p": self.pick(p), "d": self.pick(d)}
            case "play":
                return {"rounds": self.pick([0, 1, 5, 20])}
            case "plan":
                return {"n": self.pick(pools.SIZES), **private, **accuracy}
            case "plan_labels":
                return {
                    "labels": self.pick(pools.LABELS),
                    "n": self.pick(pools.SIZES),
                    **private,
                    **accuracy,
                }
            case "task" if several:
                asked |= {"labels": self.pick(pools.LABELS), "positive": None, "estimate": None}
                return {"default": self.pick([None, None, "a", "zz"]), **private, **asked}
            case "task":
                estimate = self.pick([None, None, self.epsilon()])
                rule = {"labels": None, "positive": self.pick(["1", "> 15"]), "estimate": estimate}
                return {**rule, "default": None, **private, **asked}
            case "online":
                return {**private, **self.run()}
            case "fit":
                return {**size, **private, **asked, **accuracy}
            case "fit_labels":
                return {"labels": self.pick(pools.LABELS[:3]), **size, **private, **asked}
            case "stream":
                return {**size, **private, **self.run()}
            case _:
                return {}

    def run(self) -> dict[str, Any]:
        return {
            "horizon": self.pick(pools.HORIZONS),
            "method": self.pick([*_ONLINE, "auto", "auto"]),
        }

    def epsilon(self) -> str:
        legal = self.rng.random() < 0.85
        return self.pick(pools.EPSILONS if legal else pools.ILLEGAL_EPSILONS)

    def delta(self) -> str:
        return self.pick(pools.DELTAS if self.rng.random() < 0.9 else pools.ILLEGAL_DELTAS)

    def accuracy(self) -> float:
        return self.pick(pools.ALPHAS if self.rng.random() < 0.85 else pools.ILLEGAL_ALPHAS)

    def text(self, depth: int = 0) -> str:
        """The text of a class: an example, or one of its forms filled in at random."""
        if self.rng.random() < 0.25:
            return self.pick(_EXAMPLES)
        forms: list[Callable[[], str]] = [
            lambda: f"thresholds({self.name()}, {self.range()}{self.step()})",
            lambda: f"intervals({self.name()}, {self.range()}{self.step()})",
            lambda: f"points({self.name()}{self.pick(pools.OPTIONS)})",
            lambda: f"subsets({self.name()}; {self.size()} {self.number()}{self.integers()})",
            lambda: f"rules({self.open()}; at most {self.number()}{self.pick(['', ', nonzero'])})",
            lambda: f"rule_sets({self.open()}; at most {self.number()} rules of {self.number()})",
            lambda: f"parities({self.columns()}{self.pick(['', '; affine', '; affine 1'])})",
            lambda: f"linear({self.columns()}; {self.order()}, dimension {self.number()})",
            lambda: f"affine({self.columns()}; {self.order()}, dimension {self.number()})",
            lambda: f"polynomial_zeros({self.columns()}; {self.order()}, degree {self.number()})",
            lambda: f"boxes({self.grids()})",
            lambda: f"stumps({self.grids()})",
            lambda: f"conjunctions({self.columns()}{self.pick(['', '; monotone'])})",
            lambda: f"juntas({self.columns()}; k {self.number()})",
            lambda: f"decision_lists({self.columns()})",
            lambda: (
                f"finite({self.name()}, {self.pick(pools.FILES)}{self.pick(['', '; other v1'])})"
            ),
            lambda: f"{self.name()}({self.columns()}{self.pick(pools.OPTIONS)})",
            self.mixed,
            self.mixed,
        ]
        if depth < 3:
            forms += [
                lambda: f"complement({self.text(depth + 1)})",
                lambda: f"union({self.parts(depth)})",
                lambda: f"direct_sum({self.parts(depth)})",
                lambda: f"combine({self.operation()}, {self.parts(depth)})",
                self.deep,
            ]
        return self.pick(forms)()

    def mixed(self) -> str:
        """The text of a class over mixed columns."""
        few = self.number()
        form = self.pick(
            [
                f"conditions({{}}; at most {few}{self.pick(pools.MIXED_OPTIONS)})",
                f"trees({{}}; depth {self.pick(['1', '2', '2', '3', few])})",
                f"rule_list({{}}; at most {few})",
                f"rule_list({{}}; at most {few} rules of {self.number()})",
                f"rule_sets({{}}; at most {few} rules of {self.number()})",
            ]
        )
        return form.format(", ".join(self.mixed_column(j) for j in range(self.few())))

    def mixed_column(self, j: int) -> str:
        steps = ["", "", " step 5", " step 0.1", " step 0", " in 10 log steps", " in 0 log steps"]
        return self.pick(
            [
                f"c{j}",
                f"integers(c{j})",
                f"c{j}: 0..20 step 5",
                f"c{j}: {self.pick(['number', 'integer', 'integers'])}",
                f"c{j}: number with {self.number()} cuts a decade",
                f"c{j}: {self.range()}{self.pick(steps)}",
                f"c{j} in {{F, M}}",
                f"c{j} in {{{self.pick(pools.LISTS)}}}",
                f"c{j} at {{{self.pick(pools.LISTS)}}}",
            ]
        )

    def several(self) -> str:
        """The text of a class of several labels."""
        often = self.rng.random()
        if often < 0.25:
            return self.pick([*_SEVERAL_EXAMPLES, self.text()])
        if often < 0.4:
            return self.mixed()
        return self.pick(
            [
                f"outcomes({self.open()}; at most {self.number()})",
                f"outcomes({self.open()}; at most {self.number()} rules of {self.number()})",
                f"lookup({self.open()}; at most {self.number()})",
                f"table({self.name()}, {self.pick(pools.FILES)})",
            ]
        )

    def deep(self) -> str:
        """A class inside many others."""
        inner, often = self.text(3), self.pick([2, 5, 15, 20, 40, 400, 3000])
        word = self.pick(["complement", "union", "direct_sum", "bogus", ""])
        if self.rng.random() < 0.3:
            return f"combine(xor, {inner}, " * often + inner + ")" * often
        return f"{word}(" * often + inner + ")" * often

    def parts(self, depth: int) -> str:
        first = self.text(depth + 1)
        others = [first if self.rng.random() < 0.5 else self.text(depth + 1) for _ in range(3)]
        return ", ".join([first, *others[: self.rng.randrange(4)]])

    def name(self) -> str:
        if self.rng.random() < 0.7:
            return self.pick("abcdexyz")
        return self.pick([*pools.NAMES, "n" * 9000, "'" * self.rng.randrange(9)])

    def number(self) -> str:
        return self.pick(pools.SMALL if self.rng.random() < 0.75 else pools.NUMBERS)

    def range(self) -> str:
        if self.rng.random() < 0.1:
            return self.pick(["reals", "0....9", "..", "5", "1..2..3", "0.." + "." * 9000])
        low = self.pick(["0", "-5", "1"] if self.rng.random() < 0.7 else pools.ENDS)
        return f"{low}..{self.pick(pools.ENDS)}"

    def step(self) -> str:
        return self.pick(["", "", "", "; step 0.5", "; step 1e-20", "; step 7", "; step -1"])

    def size(self) -> str:
        return self.pick(["at most", "exactly"])

    def integers(self) -> str:
        return self.pick(["", "", ", integers"])

    def order(self) -> str:
        return f"q {self.pick(pools.ORDERS)}"

    def operation(self) -> str:
        return self.pick(["and", "or", "xor", "nor"])

    def few(self) -> int:
        often = self.rng.random()
        return (
            self.rng.randrange(1, 7) if often < 0.85 else self.pick([0, 9, 12, 20, 64, 250, 1100])
        )

    def columns(self) -> str:
        if self.rng.random() < 0.1:
            return ", ".join(self.name() for _ in range(3))
        return ", ".join(f"c{j}" for j in range(self.few()))

    def open(self) -> str:
        forms = ["c{}", "integers(c{})", "strings(c{})", "'c {}'"]
        return ", ".join(self.pick(forms).format(j) for j in range(self.few()))

    def grids(self) -> str:
        if self.rng.random() < 0.1:
            return self.pick(
                ["a 0..1 0..1", "a" + "." * 5000 + " b", "a  " * 2000 + "0..1", "0..1"]
            )
        ends = ["1", "1", "2", "3", "7", "15"] if self.rng.random() < 0.8 else pools.ENDS
        steps = ["", "", "", " step 0.5", " step 1"]
        return ", ".join(f"c{j} 0..{self.pick(ends)}{self.pick(steps)}" for j in range(self.few()))

    def mutated(self, text: str) -> str:
        """The text with some characters or parts of it changed, doubled or lost."""
        signs = "(),;'\".. \n\x00-0919eE²٣é\u202e"
        for _ in range(self.rng.randrange(1, 4)):
            i, j = (self.rng.randrange(len(text) + 1) for _ in range(2))
            i, j = min(i, j), max(i, j)
            text = self.pick(
                [
                    text[:i] + self.pick(signs) + text[i:],
                    text[:i] + text[i + 1 :],
                    text[:i] + text[i:j] * 2 + text[j:],
                    text[:i] + text[j:],
                    text[:i] + self.pick(pools.NUMBERS) + text[i:],
                ]
            )
        return text


def damaged(data: Any, rng: random.Random) -> Any:
    """Plain JSON values with one part, at any depth, replaced, lost or put elsewhere."""
    places = list(_places(data))
    copied = json.loads(json.dumps(data))
    for place in rng.sample(places, min(len(places), rng.randrange(1, 3))):
        part = copied
        try:
            for key in place[:-1]:
                part = part[key]
            if rng.random() < 0.2:
                del part[place[-1]]
            elif rng.random() < 0.2 and isinstance(part, list):
                part.insert(place[-1], rng.choice(pools.DAMAGE))
            elif rng.random() < 0.3:
                found = data
                for key in rng.choice(places):
                    found = found[key]
                part[place[-1]] = found
            else:
                part[place[-1]] = rng.choice(pools.DAMAGE)
        except (KeyError, IndexError, TypeError):
            continue  # the other change took the place away
    return copied


def _places(data: Any) -> Iterator[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data)
    for key, value in items:
        yield (key,)
        yield from ((key, *place) for place in _places(value))


def _shown(value: object, most: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


# The long run: chunks in processes of their own, because a hang may not even hear a signal.


def outcome(one: Case, seconds: float) -> tuple[str, float, str]:
    """What a case ended in, its CPU seconds, and where if it is a defect."""

    def slow(signum: int, frame: Any) -> None:
        raise SlowError("".join(traceback.format_stack(frame)[-8:]))

    signal.signal(signal.SIGPROF, slow)
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, max(seconds, LONGER.get(one.action, 0)))
    try:
        one.run()
        found, where = "answered", ""
    except LittlestoneError as error:
        str(error)
        found, where = f"refused, {type(error).__name__}", ""
    except SlowError as error:
        found, where = "SLOW", str(error)
    except (Exception, MemoryError) as error:
        found, where = f"RAISED {type(error).__name__}", traceback.format_exc()[-2500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found, time.process_time() - began, where


def chunk(first: int, end: int, seconds: float) -> None:
    """Run some cases in this process, and write a line of JSON for each."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for number in range(first, end):
        one = case(number)
        faulthandler.dump_traceback_later(_HARD, exit=True)
        found = outcome(one, seconds)
        if found[0] == "SLOW":  # the first use of a field or of the solver waits for the compiler
            found = outcome(one, seconds)
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.write(json.dumps([number, *found]) + "\n")
        sys.stdout.flush()


def _chunk(first: int, end: int, seconds: float) -> Iterator[tuple[int, str, float, str]]:
    """The same in processes of their own, as a hang may not even hear a signal."""
    while first < end:
        command = [sys.executable, __file__, "--chunk", str(first), str(end), str(seconds)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                number, *found = json.loads(line)
                first = number + 1
                yield number, *found
            assert process.stderr is not None
            trace = process.stderr.read()
        if first < end:
            yield first, "HUNG", float(_HARD), trace[:3000]
            first += 1


def main(cases: int, start: int = 0, seconds: float = SECONDS) -> int:
    """Run the cases and print what failed, the outcomes and the slowest; 1 if any failed."""
    outcomes: Counter[str] = Counter()
    times: list[tuple[float, int]] = []
    for first in range(start, start + cases, _CHUNK):
        end = min(first + _CHUNK, start + cases)
        for number, found, took, where in _chunk(first, end, seconds):
            outcomes[found] += 1
            times.append((took, number))
            if found.split()[0].isupper():
                _say(f"--- {found} {took:.2f} s: {case(number)}\n{where}")
    for found, often in outcomes.most_common():
        _say(f"{often:7,} {found}")
    for took, number in sorted(times, reverse=True)[:10]:
        _say(f"{took:7.2f} s  {case(number)}")
    return int(any(found.split()[0].isupper() for found in outcomes))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1] == "--chunk":
        chunk(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
        sys.exit(0)
    sys.exit(main(*map(int, sys.argv[1:3])))
