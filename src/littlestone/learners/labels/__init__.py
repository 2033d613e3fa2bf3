"""Private learners that handle several labels in a way of their own, one a file."""
