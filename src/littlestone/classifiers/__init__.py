"""Classifiers: functions from a domain to several declared labels, one kind a file."""

from littlestone.classifiers.base import Classifier
from littlestone.classifiers.bits import BitClassifier
from littlestone.classifiers.buckets import BucketTable
from littlestone.classifiers.lookup import LookupTable
from littlestone.classifiers.table import TableClassifier

__all__ = ["BitClassifier", "BucketTable", "Classifier", "LookupTable", "TableClassifier"]
