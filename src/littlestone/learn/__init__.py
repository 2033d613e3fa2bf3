"""Private learners, one a file. Each is private for every input, whatever the data."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
