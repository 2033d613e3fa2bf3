"""From a sample to a drawn hypothesis: pay, draw, and let out only what was drawn."""
