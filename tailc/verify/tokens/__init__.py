"""Verdicts on token budgets for servers of language models."""
