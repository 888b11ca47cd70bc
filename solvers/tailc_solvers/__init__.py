"""Numerical kernels on arrays: one problem a folder, its mathematics at the top of each file.

Nothing here knows a policy, reads a file or prints. Every solver returns a frozen solution with its
evidence: status, bound, gap and the amount of work done.
"""
