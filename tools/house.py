"""Write down the rooms of a package and what they import: `python tools/house.py [CHECKOUT]`.

The page is Markdown: a table with the rooms as floors, and beside each room how many of its files
import which room.  Two checkouts can be compared: write a page of each, and read them side by side.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from trusted_core import count_lines, is_for_types, lazy_names, statements

Graph = dict[str, set[str]]


def modules_of(package: Path) -> dict[str, Path]:
    """The files of a package by the names of their modules."""
    names = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def is_run_later(node: ast.AST) -> bool:
    """Whether Python does not run what is inside when it imports the file."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(node)


def imports(modules: Mapping[str, Path], *, top: bool = False) -> Graph:
    """The modules that each one imports by absolute names: anywhere, or at the ``top`` of its file."""
    packages = {name: path.parent for name, path in modules.items() if path.name == "__init__.py"}
    lazy = {name: lazy_names(folder) for name, folder in packages.items()}
    skip = is_run_later if top else lambda node: False
    graph: Graph = {}
    for name, path in modules.items():
        graph[name] = set()
        for node in statements(ast.parse(path.read_text("utf-8")), skip):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names}
                continue
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                later = lazy.get(node.module or "", {}).get(alias.name, node.module or "")
                graph[name].add(inner if inner in modules else later)
        graph[name] = (graph[name] & modules.keys()) - {name}
    return graph


def reach(graph: Graph) -> Graph:
    """All that each one imports, directly or not; itself too if it stands in a circle."""
    reached: Graph = {}
    for start in graph:
        found, waiting = set[str](), [start]
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting += new
        reached[start] = found
    return reached


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """The largest sets in which each one imports, directly or not, each other one."""
    reached = reach(graph)
    inside = {name for name in graph if name in reached[name]}
    return sorted({tuple(sorted(n for n in reached[m] if m in reached[n])) for m in inside})


def room_of(module: str) -> str:
    """The folder or the file at the top of the package; that of the package itself is `__init__`."""
    return module.split(".")[1] if "." in module else "__init__"


def arrows(graph: Graph) -> dict[tuple[str, str], int]:
    """How many pairs of files, one of which imports the other, lead from one room to another."""
    counts: dict[tuple[str, str], int] = {}
    for name, others in graph.items():
        for pair in ((room_of(name), room_of(other)) for other in others):
            if pair[0] != pair[1] and "__init__" not in pair:
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def floors(rooms: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """A room's floor is 1 if it imports no other, else one more than the highest it imports."""
    pairs = list(pairs)
    graph: Graph = {room: {b for a, b in pairs if a == room} for room in rooms}
    reached, level = reach(graph), dict[str, int]()
    # Whoever imports a room reaches more than the room does, so the room comes first.
    for room in sorted(graph, key=lambda name: (len(reached[name] | {name}), name)):
        lower = (level[other] for other in reached[room] if room not in reached[other])
        level[room] = 1 + max(lower, default=0)
    return level


def aligned(rows: list[list[str]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    rows.insert(1, ["---"] + ["--:"] * (len(rows[0]) - 1))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = map(str.rjust, row[1:], widths[1:])
        yield "| " + " | ".join((row[0].ljust(widths[0]), *cells)) + " |"


def page(package: Path) -> str:
    """The page about the package in this folder."""
    modules = modules_of(package)
    counts = arrows(imports(modules))
    lines: dict[str, list[int]] = {}
    for name, path in modules.items():
        sums = lines.setdefault(room_of(name), [0, 0, 0, 0])
        sums[:] = map(sum, zip(sums, (1, *count_lines(str(path.resolve()))), strict=True))
    level = floors(lines, counts)
    order = sorted(lines, key=lambda room: (level[room], room))
    rows = [["room", "floor", "files", "code", "docstrings", "comments", *order]]
    for room in order:
        beside = [str(counts.get((room, other), "")) for other in order]
        rows.append([room, str(level[room]), *(f"{n:,}" for n in lines[room]), *beside])
    files, code, docs, comments = map(sum, zip(*lines.values(), strict=True))
    round_trips = circles(imports(modules, top=True))
    return "\n".join(
        [
            f"# The rooms of {package.name}\n",
            f"{len(lines)} rooms on {max(level.values())} floors, {len(counts)} arrows.  ",
            f"{files:,} files: {code:,} lines of code, {docs:,} of docstrings, "
            f"{comments:,} of comments.  ",
            f"{len(round_trips)} circles of files, counting imports at the top of a file.\n",
            "At the right, a row says how many times a file of its room imports one of another room.",
            "A room stands below the rooms that it imports, unless they import it too.\n",
            *aligned(rows),
            *(f"\nA circle: {', '.join(circle)}" for circle in round_trips),
            "",
        ]
    )


def main() -> None:
    """Print the page of this checkout, or of another."""
    checkout = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    (package,) = (path.parent for path in checkout.glob("src/*/__init__.py"))
    sys.stdout.write(page(package))


if __name__ == "__main__":
    main()
