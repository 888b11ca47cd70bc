"""Baselines of rigid jobs: planners that need no solver."""

WHERE = "of rigid jobs"
"""Of what these baselines are, in messages."""
