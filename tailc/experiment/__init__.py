"""Replays of policies and baselines on the same requests, and the statistics of what they show."""
