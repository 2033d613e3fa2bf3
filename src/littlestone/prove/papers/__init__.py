"""Every numbered statement of the papers that can be run, each a small function."""

from littlestone.prove.papers.statement import Outcome, Trial, Verdict, run_all, statement

__all__ = ["Outcome", "Trial", "Verdict", "run_all", "statement"]
