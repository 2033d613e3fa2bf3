"""The compiled writer and checker of refutation graphs; they share no code with the search."""
