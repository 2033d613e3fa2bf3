"""The engine of the Littlestone solver, which asks the compiled core."""
