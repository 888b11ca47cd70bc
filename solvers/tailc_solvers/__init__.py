"""Numerical kernels on arrays: one problem a room, its mathematics at the top of each file.

Nothing here knows a policy, reads a file or prints. Every solver returns a frozen solution that
carries its evidence: status, bound, gap and the amount of work done.
"""
