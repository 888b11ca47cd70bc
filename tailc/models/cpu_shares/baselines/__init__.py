"""Shares to compare with a policy's own."""

WHERE = "of machines with shares"
"""Of what these baselines are, in messages."""
