"""Pictures of rules, trees, runs and plans, for pages, files and notebooks."""
