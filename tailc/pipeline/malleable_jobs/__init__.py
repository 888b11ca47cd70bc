"""Plans of malleable jobs on a cluster: what solvers are asked, and what is made of their answers.

`stated` puts a cluster and jobs into a solver's numbers, `solved` asks for the plan and `priced`
for prices of servers; `planned` makes the form of them, after checks of its own, and `failed` says
in words what became of a solver. `told` has the numbers of the evidence, and what there is to warn
of.
"""
