"""Symmetries of a table: how they are found and checked, and which questions they make equal."""
