"""Faults to plant under the rows of `littlestone verify`: one file for each of its modules.

A file has ``FAULTS``: the name of each row, with faults in the code that the row speaks of.
"""
