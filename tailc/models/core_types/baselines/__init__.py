"""Baselines of policies that give each request a whole core, one short file each."""

WHERE = "where rungs are cores"
"""Where these baselines are, in messages."""
