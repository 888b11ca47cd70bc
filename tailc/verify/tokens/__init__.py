"""Verdicts on token budgets of language models."""
