"""The compiled writer of certificates.

It shares how symmetries are found with the search.  Nothing here is trusted: see checker/check.c.
"""
