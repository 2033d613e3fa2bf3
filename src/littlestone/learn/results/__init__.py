"""What a learner returns: a release, its estimate and what is promised about it."""
