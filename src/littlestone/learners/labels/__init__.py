"""Private learners of several labels by a way of their own, one a file."""
