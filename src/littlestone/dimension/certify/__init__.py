"""Certificates of dimensions, and the checker that is trusted."""
