"""Baselines of policies that give each request a core to itself, one short file each."""

WHERE = "where rungs are cores"
"""Machines of these baselines, for messages."""
