"""Exact differential privacy: budgets, costs, the durable ledger, exact samplers and mechanisms."""

from littlestone.privacy.cost import Budget

__all__ = ["Budget"]
