"""Replay policies and baselines on the same requests, and compute statistics of the results."""
