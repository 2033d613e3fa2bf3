"""Each command says which required option is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from littlestone.cli import app

RUN = CliRunner()


def missing() -> Iterator[list[str]]:
    """Command lines without one of the parameters that the command requires."""

    def walk(group: Any, words: list[str]) -> Iterator[list[str]]:
        context = typer.Context(group, info_name="littlestone")
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if hasattr(command, "list_commands"):
                yield from walk(command, [*words, name])
                continue
            needed = [given for given in command.params if given.required]
            for left in needed:
                line = [*words, name]
                for given in needed:
                    option = given.opts[-1]
                    value = "sql" if option == "--to" else "3"
                    if given is not left:
                        line += [option, value] if option.startswith("-") else [value]
                yield line

    yield from walk(typer.main.get_command(app), [])


@pytest.mark.parametrize("line", list(missing()), ids=" ".join)
def test_what_is_missing_is_named(line: list[str]) -> None:
    done = RUN.invoke(app, line)
    assert (done.exit_code, "Missing " in done.output) == (2, True), done.output


@pytest.mark.parametrize("line", ["atlas", "optimum FILE --epsilon 1", "optimum FILE --n 3"])
def test_what_is_missing_has_an_example(line: str) -> None:
    assert "such as " in RUN.invoke(app, ["theory", *line.split()]).output
