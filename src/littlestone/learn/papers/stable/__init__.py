"""The parts of the globally stable learner: tournaments and their numbers of examples."""
