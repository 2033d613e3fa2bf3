"""Text, JSON and files for people."""
