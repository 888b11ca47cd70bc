"""Baselines of malleable jobs: allocators that need no solver."""

WHERE = "of malleable jobs"
"""Of what these baselines are, in messages."""
