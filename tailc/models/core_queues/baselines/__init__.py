"""Baselines for cores with their own queues, one short file each."""

WHERE = "where cores have a clock each"
"""Machines of these baselines, for messages."""
