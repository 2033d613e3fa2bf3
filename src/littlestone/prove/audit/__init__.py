"""Auditing mechanisms and learners: exactly on tiny data, statistically as black boxes."""

from littlestone.prove.audit.claims import ExactAudit, exact_audit, exact_curve, neighbours
from littlestone.prove.audit.statistical import EpsilonBound, audit_epsilon
from littlestone.prove.audit.subject import (
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
