"""Shells for other libraries, one per file.  Only a shell imports its host library."""
