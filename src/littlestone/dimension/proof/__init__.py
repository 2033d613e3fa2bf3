"""The compiled writer and checker of refutation graphs.

The checker shares no code with the search.  The writer shares how symmetries are found, which are
checked again when the file is read.
"""
