"""Dimensions of classes: proved formulas, bounds and searches."""
