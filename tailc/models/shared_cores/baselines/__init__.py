"""Baselines for servers with shared cores, one short file each."""

WHERE = ""
"""Machines of these baselines, for messages: empty, because most policies are for such servers."""
