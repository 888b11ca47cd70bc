"""Plans of rigid jobs on racks.

`formulation` writes the problem as the solvers' arrays, `search` and `robust` place the jobs and
bound the value of every plan, `shadow_prices` prices servers, `schedule` builds the plan form,
`evidence` has the evidence and warnings, and `solve` runs them all.
"""
