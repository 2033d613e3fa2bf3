"""The mechanisms and learners that ``littlestone audit`` knows, one a file."""
