"""Baselines of CPU shares, one short file each."""

WHERE = "of machines with shares"
"""Subjects of these baselines, for messages."""
