"""Planning: lower bounds, proved and calibrated sample sizes, and the choice of a learner."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
