"""The parts of the globally stable learner: tournaments, and how many examples they take."""
