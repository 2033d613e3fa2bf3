"""Irreducibility, (p, d)-trees, decomposition dimension, essential hypotheses (Lyu25, section 4).

Everything here uses only `restrict`, `is_empty`, `littlestone_dimension`, `soa`, `reducing_points`
and `error_ball` of a class; docs/proofs/decomposition.md has the proofs.
"""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
