"""Mechanisms that take records of a stream, and release as they come."""
