"""Baselines for SMT cores: other rules for when requests share a core with batch work."""

WHERE = "where rungs are lanes of a core"
"""Machines of these baselines, for messages."""
