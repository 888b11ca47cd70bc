"""General-purpose LP and MIP solvers, each behind one adapter and in its own process.

Their answers are claims: `check` decides which of them are proved and which are wrong.
"""
