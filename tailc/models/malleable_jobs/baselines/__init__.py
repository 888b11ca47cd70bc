"""Allocators of servers to malleable jobs to compare with, which need no solver."""

WHERE = "of malleable jobs"
"""Of what these baselines are, in messages."""
