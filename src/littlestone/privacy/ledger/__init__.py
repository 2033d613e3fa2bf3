"""The ledger: a durable record of what every data set has spent, written before every draw."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
