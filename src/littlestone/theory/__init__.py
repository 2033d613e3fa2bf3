"""The mathematics: the online game, decompositions and the atlas."""
