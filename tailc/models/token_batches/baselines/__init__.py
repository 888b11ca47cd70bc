"""Baselines of token batches, one short file each."""

WHERE = "of token budgets"
"""Subjects of these baselines, for messages."""
