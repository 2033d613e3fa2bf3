"""The boxes of the papers as printed, one paper a file: to study, on data that is made up."""
