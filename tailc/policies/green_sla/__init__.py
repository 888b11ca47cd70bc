"""Green SLA: admit batch jobs, with green energy in their SLA (Haque, 2016, appendix A).

Racks are on the green bus if there is enough green power for them, and otherwise on the brown bus.
A job requests servers, and a share of its server-epochs that must be green; a promised share that
it does not get costs a penalty. A plan places the known jobs with the highest profit: fees minus
penalties and the cost of brown energy. Server-epochs have prices, with which a runtime admits or
refuses later jobs without a solver.
"""

from tailc.policies import Kind, SoftLine
from tailc.policies.green_sla.complete import complete
from tailc.policies.green_sla.emit import emit
from tailc.policies.green_sla.reduce import candidates, later_jobs, reduce, resume
from tailc.policies.green_sla.spec import GreenSlaSpec

KIND = Kind(
    name="green-sla",
    spec_model=GreenSlaSpec,
    candidates=candidates,
    reduce=reduce,
    resume=resume,
    later_jobs=later_jobs,
    emit=emit,
    complete=complete,
    soft_lines=(
        SoftLine(("datacentre", "servers")),
        SoftLine(("datacentre", "racks")),
        SoftLine(("deferral",), furthest=1_000),
    ),
    speeds_by_degree=False,
)
