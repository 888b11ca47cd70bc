"""General solvers, each behind one adapter and in a process of its own: they propose.

What they answer is believed as far as `check` can confirm it, and no further.
"""
