"""The boxes of the papers as printed, one a file: for study on data that is made up, never paid for."""
