"""Planners of a replay that ask solvers: what a datacentre does with rigid jobs, as they come.

`seen` turns what a planner knows into the solvers' groups and jobs, and `handing_out` their answers
into racks. `on_arrival` places each job once, `annealing` goes on to move those that run, and
`bid_prices` makes the prices of a plan from jobs of the past.
"""
