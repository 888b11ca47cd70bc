"""Baselines of servers whose cores all requests share; one short file each."""

WHERE = ""
"""Where these baselines are, in messages: nothing, for most policies are on such servers."""
