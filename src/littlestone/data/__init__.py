"""Make a `Sample` from a table (CSV, Parquet, frame, arrays), using only public declarations."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
