"""Plans of malleable jobs on a cluster.

`formulation` writes a cluster and its jobs as a solver's problem, `solve` runs the solver,
`shadow_prices` prices servers, `schedule` builds and checks the plan form, `infeasible` explains a
failed search, and `evidence` has the numbers and warnings.
"""
