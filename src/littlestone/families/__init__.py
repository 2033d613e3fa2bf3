"""Named families of 0/1 tables: each is a function of whole numbers, found by walking this package."""

from littlestone.families.base import Family, families, table

__all__ = ["Family", "families", "table"]
