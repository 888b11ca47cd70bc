"""Replay of tail tables: each core has a queue, and a frequency that follows from what it holds."""
