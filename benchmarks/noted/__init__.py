"""The parts of ``python -m benchmarks note``: numbers by section, figures, and the text with gaps."""
