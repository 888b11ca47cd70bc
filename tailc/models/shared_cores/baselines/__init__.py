"""Baselines of servers whose cores all requests share; one short file each."""
