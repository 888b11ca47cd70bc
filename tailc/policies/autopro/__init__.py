"""AutoPro: shares of a host that keep machines on throughput targets (Bartolini, 2015, chapter 2).

The throughput of a machine follows its share by a first-order model. Least squares fit the model to
a measured trace, and the runtime continues to estimate it. A control law with one pole computes the
share that meets the target, a broker limits the sum of shares to the host, and batch work gets the
rest. A compile minimises only the error of the model.
"""

from tailc.policies import EVERY, Kind, SoftLine
from tailc.policies.autopro.emit import emit
from tailc.policies.autopro.reduce import candidates, reduce
from tailc.policies.autopro.spec import AutoProSpec

KIND = Kind(
    name="autopro",
    spec_model=AutoProSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    soft_lines=(
        SoftLine(("host", "max_total")),
        SoftLine(("machines", EVERY, "target"), is_raised=False),
    ),
    speeds_by_degree=False,
)
