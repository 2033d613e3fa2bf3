"""Exact samplers: integers and random bits, no floats, no rounded probabilities."""
