"""Rigid jobs on racks that hang on a green or a brown bus, each promised some green server-epochs.

`problem` says what there is to decide and `check` what a plan brings, in whole numbers. `exact` is
the program of the paper on single racks, `arrival` the one for jobs that arrive, on groups of racks
and with the buses as the forecast has them; `flow` solves it for one job without a solver, and
`admission` proves which of several are best admitted. `anneal` goes on from there, `prices` need no
solver at all, and `assign` hands out the racks.

Source: Haque, dissertation, Rutgers 2016, appendix A.
"""
