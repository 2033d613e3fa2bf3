"""Rules as conditions on table cells, in one form that SQL, polars and pandas are written from.

A condition is true or false of every cell, also of a missing one.  `form` is that form, also of the
points of a domain, and each other file writes it in one language.
"""
