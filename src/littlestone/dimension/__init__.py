"""Dimensions of finite tables of functions, as pure functions of bit masks."""
