"""Baselines of malleable jobs: allocators that need no solver."""

WHERE = "of malleable jobs"
"""Subjects of these baselines, for messages."""
