"""Planners that place arriving rigid jobs with solvers, for replays of a datacentre.

`on_arrival` places each job once, `annealing` also moves running jobs, and `bid_prices` computes a
plan's prices from past jobs. `planner_state` converts the state of a replay into the solvers'
groups of racks and jobs, and `rack_assignment` converts their answers into racks.
"""
