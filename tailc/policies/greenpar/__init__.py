"""GreenPar: resize parallel jobs by the available green energy (Haque, 2016, appendix B).

A plan gives each job a number of servers in every epoch, more when there is more green energy. The
run time of a job is at most a slowdown factor times that on its requested servers. The plan
minimises the cost of brown energy and of the mean run time. Server-epochs have prices, with which a
runtime finds servers for later jobs without a solver.
"""

from tailc.policies import Kind, SoftLine
from tailc.policies.greenpar.complete import complete
from tailc.policies.greenpar.emit import emit
from tailc.policies.greenpar.reduce import candidates, later_jobs, reduce, resume
from tailc.policies.greenpar.spec import GreenParSpec

KIND = Kind(
    name="greenpar",
    spec_model=GreenParSpec,
    candidates=candidates,
    reduce=reduce,
    resume=resume,
    later_jobs=later_jobs,
    emit=emit,
    complete=complete,
    soft_lines=(
        SoftLine(("cluster", "servers")),
        SoftLine(("slowdown",)),
        SoftLine(("deferral",), furthest=1_000),
    ),
    speeds_by_degree=False,
)
