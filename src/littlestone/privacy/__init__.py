"""Exact differential privacy: costs, the durable ledger, exact samplers and mechanisms."""
