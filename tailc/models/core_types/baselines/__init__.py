"""Baselines of policies that give each request a whole core, one short file each."""

WHERE = "where rungs are cores"
"""Machines of these baselines, for messages."""
