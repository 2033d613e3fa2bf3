"""Shells for other libraries, one a file; each imports its host, which nothing else here does."""
