"""Explain one cell of a table (a load and an age): its decision, and the effect on the tail."""
