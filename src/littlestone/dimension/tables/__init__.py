"""Checked tables, which every dimension is asked of."""
