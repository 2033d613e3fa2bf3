"""Named families of 0/1 tables: each is a function of whole numbers, found by walking this package."""

from littlestone.theory.families.base import Family, Table, families, table

__all__ = ["Family", "Table", "families", "table"]
