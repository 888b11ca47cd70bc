"""General solvers, each behind one adapter and in its own process.

Their answers are proposals: `check` decides how far they can be trusted.
"""
