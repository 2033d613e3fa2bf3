"""Classes of functions into several labels, one a file; a version space is again a class."""

from littlestone.multiclass.base import MulticlassClass
from littlestone.multiclass.declared import parse_multiclass
from littlestone.multiclass.lookup import Lookup
from littlestone.multiclass.outcomes import Outcomes
from littlestone.multiclass.table import TableClass

__all__ = ["Lookup", "MulticlassClass", "Outcomes", "TableClass", "parse_multiclass"]
