"""What a policy of two lanes of a core is compared with: other ways to give out a budget."""

WHERE = "where rungs are lanes of a core"
"""Where these baselines are, in messages."""
