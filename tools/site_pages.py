"""Pages of the site that `make docs` writes itself: the reference, and lists of a folder's pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import mkdocs_gen_files

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "littlestone"

LISTS = {
    "how-to": ("How to", "One task a page, with commands that you can paste."),
    "explanation": ("Explanation", "What the words of a release mean."),
    "proofs": (
        "Proofs",
        "Each page states its theorems in words and in symbols, proves them step by step, and names "
        "the test of each step.",
    ),
}
GROUPS = {
    "how-to": {
        "Learn a rule": "learn-from-a-table schema classes choose-among-classes open-vocabularies "
        "several-labels costs-and-groups score-sheet risks how-good boost databases scikit-learn",
        "Protect people": "protect-people plan spend-a-budget share-a-ledger other-libraries audit",
        "Publish": "report export-a-rule",
        "Streams": "stream kafka river",
        "Study classes": "play dimensions certify-a-dimension decompose atlas algebraic-classes "
        "add-a-class",
    },
    "proofs": {
        "Records and budgets": "lines missing-values engines units ledger composition "
        "estimates risks audit machine-checked",
        "Mechanisms": "exponential-mechanism permute-and-flip choosing sparse-sampling "
        "sparse-vector above-threshold stable-histogram gaussian partition-selection "
        "single-key-selection",
        "Learners": "score-sheet rounds peeling regrown vocabulary lookup multiclass-learning "
        "agnostic boosting proper irreducible radii noisy-radii globally-stable levels "
        "baselines lower-bounds optimum",
        "Streams": "continual-key-selection continual-selection confirmation tallies sides "
        "mistakes-against-watchers "
        "online-teachers blocks hedge staged-stream offsets",
        "Classes and dimensions": "closed-forms conditions intervals stumps equality-rules rule-sets "
        "outcomes algebraic-classes infinite-trees multiclass representation regret oracles "
        "decomposition symmetry certificates",
    },
}
"""What a reader wants in a folder, and the pages that say it, in the order of reading."""

ALSO = ("base.errors", "interop.scikit_learn", "interop.river")


def write(path: str, text: str) -> None:
    """Add a page to the site."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def head(path: Path) -> tuple[str, str]:
    """The title of a page and how its text begins: a sentence, or two if the first is short."""
    title, _, rest = path.read_text(encoding="utf-8").partition("\n")
    paragraph = " ".join(rest.strip().split("\n\n")[0].split())
    first, *more = re.split(r"(?<=[.?!]) ", paragraph)
    words = f"{first} {more[0]}" if more and len(first) < 80 else first
    return title.removeprefix("# "), re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)


def lists() -> None:
    """A page for each folder, with the title and the first sentence of its pages."""
    for folder, (title, words) in LISTS.items():
        pages = {path: head(path) for path in (ROOT / "docs" / folder).glob("*.md")}
        text, summary = f"# {title}\n\n{words}\n\n", "* [Overview](index.md)\n"
        for group, paths in grouped(folder, pages):
            text += f"## {group}\n\n" if group else ""
            summary += f"* {group}\n" if group else ""
            for path in paths:
                name, sentence = pages[path]
                text += f"**[{name}]({path.name})**  \n{sentence}\n\n"
                short = name.removeprefix("How to ")
                indent = "    " if group else ""
                summary += f"{indent}* [{short[0].upper()}{short[1:]}]({path.name})\n"
        write(f"{folder}/index.md", text)
        write(f"{folder}/SUMMARY.md", summary)


def grouped(folder: str, pages: dict[Path, tuple[str, str]]) -> Iterator[tuple[str, list[Path]]]:
    """The pages of a folder by what a reader wants; those of other folders by their titles."""
    if folder not in GROUPS:
        yield "", sorted(pages, key=pages.__getitem__)
        return
    places = {path.stem: path for path in pages}
    for group, names in GROUPS[folder].items():
        yield group, [places.pop(name) for name in names.split()]
    assert not places, f"under which heading of GROUPS do {', '.join(places)} stand?"


def assigned(path: Path, name: str) -> object:
    """The value that a module gives a name, read without running the module; None if it does not."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            try:
                return ast.literal_eval(node.value)
            except ValueError:
                return None
    return None


def defined(path: Path) -> list[str]:
    """The public classes and functions that stand in a module."""
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return sorted(name for name in names if not name.startswith("_"))


def passed_on(stub: Path) -> list[str]:
    """The names that a stub imports."""
    nodes = ast.parse(stub.read_text(encoding="utf-8")).body
    return sorted(a.name for node in nodes if isinstance(node, ast.ImportFrom) for a in node.names)


def packages() -> Iterator[tuple[str, Path, list[str]]]:
    """Each public module, its file and its public names."""
    for path in sorted(SOURCE.rglob("__init__.py")):
        stub = path.with_suffix(".pyi")  # where the names of a package stand that imports them late
        names = passed_on(stub) if stub.exists() else assigned(path, "__all__")
        if isinstance(names, list) and path.parent != SOURCE:
            yield ".".join(path.parent.relative_to(SOURCE).parts), path, names
    for module in ALSO:
        path = SOURCE.joinpath(*module.split(".")).with_suffix(".py")
        yield module, path, defined(path)


def page(title: str, words: str, paths: Iterable[str]) -> str:
    """A page of the reference: mkdocstrings puts signature and docstring in place of each path."""
    return f"# {title}\n\n{words}\n" + "".join(f"\n::: {path}\n" for path in paths)


def reference() -> None:
    """A page for each public module, and one for the names that `import littlestone` offers."""
    front = assigned(SOURCE / "__init__.py", "_FRONT")
    assert isinstance(front, dict)
    paths = sorted(  # functions first; classes of rules have a page of their own
        (not name.islower(), f"{module}.{name}")
        for module, names in front.items()
        for name in names
        if module != "littlestone.classes"
    )
    offered = [path for _, path in paths]
    words = "What `import littlestone` offers, besides the [classes of rules](classes.md)."
    write("reference/littlestone.md", page("littlestone", words, offered))
    summary = "* [Commands](commands.md)\n* [littlestone](littlestone.md)\n"
    for module, path, names in packages():
        title = f"littlestone.{module}"
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        shown = [f"{title}.{name}" for name in names if not name.isupper()]
        file = module.replace(".", "-") + ".md"
        write(f"reference/{file}", page(title, words, [s for s in shown if s not in offered]))
        summary += f"* [{title}]({file})\n"
    write("reference/SUMMARY.md", summary)


def commands() -> None:
    """Every command with its arguments and options."""
    import typer

    from littlestone.cli import STATUS, app

    root = typer.main.get_command(app)
    text = "# Commands\n\n`littlestone COMMAND --help` prints the same. " + STATUS + "\n"

    def section(command: Any, path: str) -> str:
        context = typer.Context(command)
        if hasattr(command, "list_commands"):
            inner = [command.get_command(context, name) for name in command.list_commands(context)]
            return "".join(section(each, f"{path} {each.name}") for each in inner)
        words = re.sub(r"\n(?=\S)", " ", (command.help or "").strip().replace("\x08\n", ""))
        rows = ""
        for parameter in command.params:
            flags = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
            if parameter.param_type_name == "argument":
                flags = f"`{parameter.metavar or parameter.name.upper()}`"
            told = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
            rows += f"| {flags} | {told} |\n"
        return f"\n## {path}\n\n{words}\n\n| option | meaning |\n|---|---|\n{rows}"

    write("reference/commands.md", text + section(root, "littlestone"))


lists()
reference()
commands()
