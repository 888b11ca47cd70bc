"""Baselines of servers with shared cores, one short file each."""

WHERE = ""
"""Where these baselines are, in messages: nothing, for most policies are on such servers."""
