"""The ``littlestone`` command, and ``python -m littlestone``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line.  Ctrl+C while it loads has one line, as later, and status 130."""
    try:
        from littlestone.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    finally:
        # Nothing is left that could be interrupted: the status says what was done.
        import signal  # loaded by now; before, Ctrl+C would show a trace while it loads

        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
