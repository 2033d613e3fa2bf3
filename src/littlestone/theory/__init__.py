"""The mathematics: the online game, decompositions, families of tables and the atlas."""
