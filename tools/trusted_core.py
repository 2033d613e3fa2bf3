"""Count the files of the trusted core, and what they import: `python tools/trusted_core.py`.

The list is the one of docs/trusted-core.md.  Imports are read from the sources, also those inside
functions; only those for type checkers alone are left out.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "littlestone"
PAGE = ROOT / "docs" / "trusted-core.md"
ENTRIES = (
    "privacy/mechanisms/exponential.py",
    "privacy/mechanisms/choosing.py",
    "privacy/mechanisms/noisy_sums.py",
    "privacy/mechanisms/record_sums.py",
    "privacy/ledger/file.py",
)
"""Where a fit by exponential, choosing, score_sheet or tree_sheet enters, with its ledger in a file."""


def listed() -> list[str]:
    """The files that the page lists, in its order: each stands in a row of its own."""
    return re.findall(r"^\| `([a-z_/]+\.py)` \|", PAGE.read_text("utf-8"), re.MULTILINE)


def path_of(module: str) -> str | None:
    """The file of a module of ours, or None."""
    place = SOURCES.joinpath(*module.split(".")[1:])
    for found in (place / "__init__.py", place.with_suffix(".py")):
        if found.exists():
            return found.relative_to(SOURCES).as_posix()
    return None


def is_for_types(node: ast.AST) -> bool:
    """Whether these are imports that only a type checker reads."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(
    node: ast.AST, skip: Callable[[ast.AST], bool]
) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports beneath a node, but for those inside what ``skip`` says."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not skip(child):
            yield from statements(child, skip)


def imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The pairs (module, name) that are imported at run time; the name is empty for a module."""
    for child in statements(node, is_for_types):
        if isinstance(child, ast.ImportFrom):
            yield from ((child.module or "", alias.name) for alias in child.names)
        else:
            yield from ((alias.name, "") for alias in child.names)


def lazy_names(folder: Path) -> dict[str, str]:
    """The modules from which a package with a stub beside it takes its names when they are used."""
    stub = folder / "__init__.pyi"
    if not stub.exists():
        return {}
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.parse(stub.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def needs(file: str) -> tuple[set[str], set[str]]:
    """The files of ours that one imports, with their packages; and the names of other packages."""
    ours, others = set[str](), set[str]()
    for module, name in imports(ast.parse((SOURCES / file).read_text("utf-8"))):
        if module.split(".")[0] != "littlestone":
            others.add(module.split(".")[0])
            continue
        package = "/".join(module.split(".")[1:])
        known = lazy_names(SOURCES / package).get(name)
        for found in (module, f"{module}.{name}", known):
            if found is not None and path_of(found) is not None:
                parents = [found.rsplit(".", k)[0] for k in range(found.count(".") + 1)]
                ours.update(filter(None, map(path_of, parents)))
    return ours - {file}, others


def closure(files: tuple[str, ...] = ENTRIES) -> tuple[set[str], set[str]]:
    """All files that these import, directly or not, themselves too; and what is not ours."""
    found, outside, waiting = set[str](), set[str](), list(files)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            ours, others = needs(file)
            waiting += ours
            outside |= others
    return found, outside - set(sys.stdlib_module_names)


def count_lines(file: str) -> tuple[int, int, int]:
    """The lines of code, of docstrings and of comments alone."""
    text = (SOURCES / file).read_text("utf-8")
    docs = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    code, comments = set[int](), set[int]()
    blank = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in blank:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docs), len(docs), len(comments - code)


def main() -> None:
    """Say how long the core is, and which other packages it needs."""
    files = listed()
    counts = [count_lines(file) for file in files]
    code, docs, comments = map(sum, zip(*counts, strict=True))
    _, outside = closure()
    sys.stdout.write(
        f"{len(files)} files: {code:,} lines of code, {docs:,} of docstrings, "
        f"{comments:,} of comments\n"
        f"not ours, beside the standard library: {', '.join(sorted(outside)) or 'nothing'}\n"
    )


if __name__ == "__main__":
    main()
