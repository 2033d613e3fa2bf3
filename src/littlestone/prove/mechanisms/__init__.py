"""Auditing mechanisms and learners: exactly on tiny data, statistically as black boxes."""

from littlestone.prove.mechanisms.exact import ExactAudit, exact_audit, exact_curve
from littlestone.prove.mechanisms.neighbours import neighbours
from littlestone.prove.mechanisms.statistical import EpsilonBound, audit_epsilon
from littlestone.prove.mechanisms.subject import (
    Subject,
    find_subject,
    find_subjects,
    mechanism_subject,
    subject,
)

__all__ = [
    "EpsilonBound",
    "ExactAudit",
    "Subject",
    "audit_epsilon",
    "exact_audit",
    "exact_curve",
    "find_subject",
    "find_subjects",
    "mechanism_subject",
    "neighbours",
    "subject",
]
