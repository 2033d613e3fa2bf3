"""A bar with the time left, on a terminal only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from littlestone.base.progress import watching
from littlestone.cli.console import err

_PAUSE = 0.1  # seconds between two looks at the steps, of which there may be millions


@contextmanager
def bar(text: str, *, still: bool = False) -> Iterator[None]:
    """Show a bar on standard error while the block runs, if that is a terminal; then remove it.

    Until a stage tells how far it is, the bar has the name ``text`` and no end.  It shows a share and
    the time left, and no counts.  ``still`` draws it only when steps are reported, so that nothing else
    runs during a measurement.  Print nothing inside the block.
    """
    if not err.is_terminal:
        yield
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=err.console,
        auto_refresh=not still,
        transient=True,
        # Results that are printed go to standard output, and not through this console.
        redirect_stdout=False,
        redirect_stderr=False,
        speed_estimate_period=600,
    )
    bar, named, looked = shown.add_task(text, total=None), text, 0.0

    def watch(what: str, done: int, of: int) -> None:
        nonlocal named, looked
        now = time.monotonic()
        if what == named and now - looked < _PAUSE:
            return
        if what != named:
            shown.reset(bar)
        named, looked = what, now
        shown.update(bar, description=what, completed=done, total=of, refresh=still)

    with shown, watching(watch):
        yield
