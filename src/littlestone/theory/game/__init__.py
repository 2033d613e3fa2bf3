"""Online learning as a mistake game: learners, adversaries and transcripts."""

from littlestone.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
