"""Baselines of CPU shares, one short file each."""

WHERE = "of machines with shares"
"""Of what these baselines are, in messages."""
