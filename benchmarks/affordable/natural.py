"""Classes at natural sizes, as they are declared on the command line."""

from __future__ import annotations


def _columns(number: int, more: str = "") -> str:
    return ", ".join(f"c{i}{more}" for i in range(number))


_MIXED = "age: 0..95 step 5, income: 0..100 step 5, sex in {F, M}, smoker in {yes, no}"
_FLIGHT = "carrier, origin, dest, hour"

NATURAL: dict[str, dict[str, str]] = {
    "Mixed tables": {
        "conditions, at most 1": f"conditions({_MIXED}; at most 1)",
        "conditions, at most 2": f"conditions({_MIXED}; at most 2)",
        "conditions, at most 3": f"conditions({_MIXED}; at most 3)",
        "conditions, one column open": f"conditions(ward, {_MIXED}; at most 2)",
        "trees of depth 1": f"trees({_MIXED}; depth 1)",
        "trees of depth 2": f"trees({_MIXED}; depth 2)",
        "lists of 2 rules": f"rule_list({_MIXED}; at most 2)",
    },
    "Ranges": {
        "thresholds, 1,000 cuts": "thresholds(x, 0..999)",
        "thresholds, 2^20 cuts": "thresholds(x, 0..1048575)",
        "thresholds, 2^60 cuts": f"thresholds(x, 0..{2**60 - 1})",
        "intervals on 1,000 values": "intervals(x, 0..999)",
        "intervals on 2^20 values": "intervals(x, 0..1048575)",
        "boxes 24 x 31": "boxes(hour 0..23, day 0..30)",
        "boxes 10 x 10 x 10": "boxes(x 0..9, y 0..9, z 0..9)",
        "stumps, 5 columns of 100": f"stumps({_columns(5, ' 0..99')})",
        "thresholds, 100 + 100": "direct_sum(thresholds(x, 0..99), thresholds(y, 0..99))",
        "intervals, or intervals": "combine(or, intervals(x, 0..49), intervals(x, 0..49))",
    },
    "Open vocabularies": {
        "points": "points(merchant)",
        "subsets of 2": "subsets(merchant; at most 2)",
        "subsets of 5": "subsets(merchant; at most 5)",
        "subsets of 20": "subsets(merchant; at most 20)",
        "subsets of 100": "subsets(merchant; at most 100)",
        "rules of 1, 4 columns": f"rules({_FLIGHT}; at most 1)",
        "rules of 2, 4 columns": f"rules({_FLIGHT}; at most 2)",
        "rules of 4, 4 columns": f"rules({_FLIGHT}; at most 4)",
        "2 rules of 1, 2 columns": "rule_sets(a, b; at most 2 rules of 1)",
        "lookup of 5": "lookup(merchant; at most 5)",
        "lookup of 5,000": "lookup(merchant; at most 5000)",
    },
    "Columns of bits": {
        "conjunctions of 10": f"conjunctions({_columns(10)})",
        "conjunctions of 20": f"conjunctions({_columns(20)})",
        "monotone conjunctions of 20": f"conjunctions({_columns(20)}; monotone)",
        "decision lists of 3": "decision_lists(a, b, c)",
        "decision lists of 8": f"decision_lists({_columns(8)})",
        "juntas, 2 of 10": f"juntas({_columns(10)}; k 2)",
        "juntas, 3 of 20": f"juntas({_columns(20)}; k 3)",
        "juntas, 4 of 20": f"juntas({_columns(20)}; k 4)",
        "parities of 10": f"parities({_columns(10)})",
        "parities of 20": f"parities({_columns(20)})",
    },
    "Algebraic": {
        "linear, GF(2)^10, dim. 1": f"linear({_columns(10)}; q 2, dimension 1)",
        "linear, GF(101)^3, dim. 1": "linear(x, y, z; q 101, dimension 1)",
        "linear, GF(101)^3, dim. 2": "linear(x, y, z; q 101, dimension 2)",
        "linear, GF(101)^4, dim. 3": "linear(w, x, y, z; q 101, dimension 3)",
        "affine, GF(5)^2, dim. 1": "affine(x, y; q 5, dimension 1)",
        "affine, GF(101)^2, dim. 1": "affine(x, y; q 101, dimension 1)",
        "affine, GF(101)^3, dim. 2": "affine(x, y, z; q 101, dimension 2)",
        "zeros, GF(5)^2, degree 1": "polynomial_zeros(x, y; q 5, degree 1)",
        "zeros, GF(5)^2, degree 2": "polynomial_zeros(x, y; q 5, degree 2)",
        "zeros, GF(5)^2, degree 3": "polynomial_zeros(x, y; q 5, degree 3)",
    },
}
"""Names and declarations, by groups."""
