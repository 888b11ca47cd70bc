"""Tuning: search tables by simulation, in which requests queue for threads."""
