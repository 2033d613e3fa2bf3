"""Fits of score sheets to released sums.  Nothing here sees a record."""
