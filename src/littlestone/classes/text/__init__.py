"""Classes as texts: their language, its limits, files of tables, and the list of all classes."""
