"""Broken mechanisms and learners, each with its mistake and the check that must catch it."""
