"""Tuning: search tables by simulation, in which requests wait for threads."""
