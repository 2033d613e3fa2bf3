"""Exact linear algebra over finite fields: arithmetic, subspaces and flats, monomials."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
