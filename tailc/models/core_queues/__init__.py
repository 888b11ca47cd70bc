"""Execution model of cores that each serve their own queue and change their frequency (DVFS)."""
