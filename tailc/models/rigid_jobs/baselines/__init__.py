"""Baselines of rigid jobs: planners that need no solver."""

WHERE = "of rigid jobs"
"""Subjects of these baselines, for messages."""
