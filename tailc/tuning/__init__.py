"""Tuning: improve tables by simulation, because their formulas ignore that requests wait.

*The formula's table* is the table that a policy kind computes without simulation. A search changes
it, and validation compares both.
"""
