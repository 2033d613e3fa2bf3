"""Hypothesis classes, one per file.  A version space is again a class."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
