"""Hypotheses: functions from a domain to {0, ..., k}, equal iff they agree everywhere.

Every class writes its functions in one canonical form, so that structural equality is equality as
functions.  A histogram of hypotheses then adds all votes for one function, whatever version space it
came from, and a released hypothesis carries nothing but the function itself.
A new kind is one file here.
"""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
