"""AutoPro: shares of a host that keep machines on throughput targets (Bartolini, 2015, chapter 2).

A machine's throughput follows its share by a first-order model, which least squares fit to a
measured trace and the runtime goes on estimating. Nothing is minimised but the model's error: a
law with one pole asks for the share that meets the target, a broker keeps the sum within the host,
and batch work gets what is left.
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
