"""GreenPar: parallel jobs that grow while the sun shines (Haque, Rutgers 2016, appendix B).

A plan gives each job a number of servers in every epoch, more where green energy carries them and
fewer where the job is ahead of its promise: it is done within a slowdown times its run on the
servers that it asked for. Minimised is the cost of brown energy and of the mean run time; servers
of epochs have prices, by which jobs that come later find theirs without a solver.
"""

from tailc.policies import Kind, SoftLine
from tailc.policies.greenpar.complete import complete
from tailc.policies.greenpar.emit import emit
from tailc.policies.greenpar.reduce import candidates, reduce
from tailc.policies.greenpar.spec import GreenParSpec

KIND = Kind(
    name="greenpar",
    spec_model=GreenParSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    soft_lines=(
        SoftLine(("cluster", "servers")),
        SoftLine(("slowdown",)),
        SoftLine(("deferral",), furthest=1_000),
    ),
    speeds_by_degree=False,
)
