"""Green SLA: which jobs run where and on which energy (Haque, Rutgers 2016, appendix A).

Racks hang on a green bus while the sun carries them full, and on a brown one else. A job asks for
servers, and for a share of its server-epochs that shall be green; what it was promised and does not
get costs a penalty. A plan places the jobs that are known so that profit is greatest: fees less
penalties and brown energy. Servers of epochs have prices, by which jobs that come later are
admitted or turned away without a solver.
"""

from tailc.policies import Kind, SoftLine
from tailc.policies.green_sla.complete import complete
from tailc.policies.green_sla.emit import emit
from tailc.policies.green_sla.reduce import candidates, reduce
from tailc.policies.green_sla.spec import GreenSlaSpec

KIND = Kind(
    name="green-sla",
    spec_model=GreenSlaSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    soft_lines=(
        SoftLine(("datacentre", "servers")),
        SoftLine(("datacentre", "racks")),
        SoftLine(("deferral",), furthest=1_000),
    ),
    speeds_by_degree=False,
)
