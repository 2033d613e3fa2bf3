"""What is claimed, and the runs that show it."""
