"""From a problem of racks to a plan: `solved` is what a compile calls.

`stated` puts the problem into the solvers' arrays; `searched` places the jobs and bounds what any
plan is worth, and `priced` asks for prices of servers; `planned` makes the form of them, and `told`
says what the evidence names and what there is to warn of.
"""
