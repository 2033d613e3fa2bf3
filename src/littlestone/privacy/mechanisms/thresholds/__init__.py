"""Mechanisms that take queries one after another and test them against thresholds."""
