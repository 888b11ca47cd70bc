"""Baselines of tail tables, one short file each."""

WHERE = "where cores have a clock each"
"""Machines of these baselines, for messages."""
