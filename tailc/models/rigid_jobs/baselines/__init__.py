"""Planners of rigid jobs to compare with, which need no solver."""

WHERE = "of rigid jobs"
"""Of what these baselines are, in messages."""
