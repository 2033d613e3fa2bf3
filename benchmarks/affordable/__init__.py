"""The map of what every class costs; see `benchmarks.affordability`."""
