"""Replay policies and baselines on the same requests, and estimate percentiles with intervals."""
