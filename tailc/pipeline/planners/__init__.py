"""Planners that place arriving rigid jobs with solvers, for replays of a datacentre.

`planner_state` converts a planner's state into the solvers' groups and jobs, and `rack_assignment`
converts their answers into racks. `on_arrival` places each job once, `annealing` also moves running
jobs, and `bid_prices` computes a plan's prices from past jobs.
"""
