"""Rigid jobs on racks with a green or a brown power bus, with promised green server-epochs.

`problem` defines the decisions and `check` computes the exact figures of a plan. `exact` is the
paper's program on single racks. `arrival` places jobs as they arrive, on groups of racks whose
buses follow from the forecast: `flow` places one job without a solver, and `admission` bounds which
of several jobs to admit. `anneal` improves a plan, `prices` admits jobs without a solver, and
`assign` assigns servers to racks.

Source: Haque, dissertation, Rutgers 2016, appendix A.
"""
