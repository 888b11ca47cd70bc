"""Baselines of servers whose cores all requests share; one short file each."""

WHERE = "where requests share all cores"
"""Where these baselines are, in messages."""
