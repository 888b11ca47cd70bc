"""Rigid jobs on racks with a green or a brown bus, with promised green server-epochs.

`problem` defines the decisions and `check` computes the exact figures of a plan. `exact` is the
program of the paper on single racks, `arrival` the one for jobs that arrive, on groups of racks and
with the buses of the forecast; `flow` solves it for one job without a solver, and `admission`
proves which of several jobs to admit. `anneal` improves the result, `prices` need no solver, and
`assign` assigns servers to racks.

Source: Haque, dissertation, Rutgers 2016, appendix A.
"""
