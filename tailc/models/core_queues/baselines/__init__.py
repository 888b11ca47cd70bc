"""Baselines of tail tables, one short file each."""

WHERE = "where cores have a clock each"
"""Where these baselines are, in messages."""
