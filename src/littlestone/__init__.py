"""Online learning and differentially private learning of Littlestone classes."""
