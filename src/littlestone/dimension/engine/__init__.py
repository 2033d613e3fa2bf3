"""The compiled engine of the Littlestone solver; importing its modules imports numba."""
