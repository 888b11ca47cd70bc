"""Baselines of policies for two lanes of a core: other ways to spend a budget."""

WHERE = "where rungs are lanes of a core"
"""Machines of these baselines, for messages."""
