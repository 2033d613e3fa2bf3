"""Mechanisms that take queries one after the other, and test them against thresholds."""
