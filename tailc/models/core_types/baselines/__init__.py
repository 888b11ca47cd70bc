"""What a policy of whole cores is compared with; one short file each."""

WHERE = "where rungs are cores"
"""Where these baselines are, in messages."""
