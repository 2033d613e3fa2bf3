"""Dimensions of finite tables of functions, with witnesses and their checkers.

Every dimension takes any table: rows of labels, an array, a finite class or a `LabelTable`.
"""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
