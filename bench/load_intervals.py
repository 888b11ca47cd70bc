"""What gains for 1, 3 and 6 intervals of load are worth, on the plants of six loads.

    python -m bench.load_intervals

Haque et al., MICRO 2017, section 6.9, find six intervals like three, and that one overshoots at
high load. Here a server of thirteen slow and two fast cores under the workload of
examples/lucene-as2f gets a controller for each number of intervals, and each is judged on the
plants that are identified in the middle of six. A plant is the tail's answer to the output at its
own load: what a change of load does to the tail is not in it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tailc_solvers.control.margins import Margins, margins_sampled
from tailc_solvers.control.roots import stable_for_delays

from tailc.forms.controller import gains_at
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.controller import TunedController
from tailc.pipeline.loops import RateInterval
from tailc.report.table import align_columns
from tailc.units import format_mrps

ROOT = Path(__file__).resolve().parents[1]
INTERVALS = (1, 3, 6)
SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: intervals
slo: [{{percentile: 99%, latency: 200ms}}]
demand:
  trace: {trace}
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
cores:
  power_from: micro-2017-amp
  types: [{{speed: 1, count: 13}}, {{speed: 2, count: 2}}]
control: {{intervals: {intervals}}}
rates: [20/s, 60/s, 90/s, 100/s]
"""
US_PER_MS = 1_000


def main() -> None:
    tuned = {number: tuned_for(number) for number in INTERVALS}
    title = ("load", *(f"{number} intervals" for number in INTERVALS))
    rows = [
        (format_mrps(each.operation.rate_mrps), *(margin_text(tuned[n], each) for n in INTERVALS))
        for each in tuned[max(INTERVALS)].intervals
    ]
    print("maximum sensitivity, overshoot, and epochs to settle, by load and number of intervals")
    print(align_columns([title, *rows]))


def tuned_for(intervals: int) -> TunedController:
    trace = ROOT / "examples" / "lucene-as2f" / "demand.parquet"
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "intervals.yaml"
        spec.write_text(SPEC.format(trace=trace, intervals=intervals))
        (tuned,) = compile_policy(str(spec)).additions_of(TunedController)
        return tuned


def margin_text(tuned: TunedController, where: RateInterval) -> str:
    found = judge(tuned, where)
    if found is None:
        return "not stable for every delay"
    return (
        f"Ms {found.max_sensitivity:.2f}, overshoot {found.overshoot:.1%}, "
        f"settles in {found.settling_epochs:g}"
    )


def judge(tuned: TunedController, where: RateInterval) -> Margins | None:
    """The margins of a controller's gains at a load, on the plant there; None: not stable."""
    row = gains_at(tuned.controller, where.operation.rate_mrps)
    unit = US_PER_MS / 2**tuned.controller.fraction_bits
    gains = tuple(gain * unit for gain in (row.kp, row.ki, row.kd))
    plant = where.plant.plant
    return margins_sampled(plant, *gains) if stable_for_delays(plant, *gains) else None


if __name__ == "__main__":
    main()
