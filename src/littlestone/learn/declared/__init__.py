"""What is declared before anything is learned: schema, task, and their checks."""
