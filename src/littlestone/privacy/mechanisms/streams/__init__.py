"""Mechanisms that take the records of a stream and release as they come."""
