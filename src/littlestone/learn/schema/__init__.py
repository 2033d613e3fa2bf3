"""The schema of a table: what is public about it, in a file; a draft of one, and data dictionaries."""
