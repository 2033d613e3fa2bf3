"""The choosing learner: elements one after another, out of vocabularies that nobody lists."""

from __future__ import annotations
