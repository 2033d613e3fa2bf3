"""Domains: declared sets of points, with a total map from any table value to a point.

A domain is declared, never read from the data.  A value outside it (missing, unreadable, too large,
unknown) is data like any other: `Domain.encode` maps it to a declared point and never fails.
"""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
