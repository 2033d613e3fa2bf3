"""Private online learners, one a file: a model at every step of a stream, under one budget."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
