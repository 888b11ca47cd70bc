"""Verdicts made by hand, for the tests of every form that they are written in."""

from __future__ import annotations

from tailc.experiment.demand_drift import Distance, Drift
from tailc.experiment.point import Point, Run, SloEstimate
from tailc.experiment.ruling import Ruling
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.usage import SharedCoresUse
from tailc.specs.slo import Slo
from tailc.verify.verdict import Verdicts

USE = RungUse(1_810, 3_100, 1_000, (612_000, 388_000))
LOAD = Load(109_000, 767_400, 15_720, 4_390, 130_000, 0, USE, is_overloaded=False)
MEETS = SloEstimate(352_044, 316_400, 397_700, 2_400, Ruling.PASS, None, None)
UNSURE = SloEstimate(476_085, 420_784, 552_699, 3_515, Ruling.UNDECIDED, 19_000, None)
MISSES = SloEstimate(880_110, 790_068, 952_918, 944, Ruling.FAIL, None, None)
P99 = Slo(990_000, 500_000)
GOLD = Slo(950_000, 250_000, window_requests=1_000, request_class="gold")
DRIFT = Drift(Distance(128_323, 0, 287_000), Distance(9_697, 282, 19_135), 36_134, 27_245, True)


def run(name: str, *estimates: SloEstimate, note: str = "", load: Load = LOAD) -> Run:
    return Run(name, note, load, estimates, SharedCoresUse())


def point(arrivals: str, policy: Run, *baselines: Run, rate_mrps: int = 30_000) -> Point:
    return Point(arrivals, rate_mrps, policy, baselines)


def verdicts(*points: Point, slos: tuple[Slo, ...] = (P99,), drift: Drift | None = DRIFT):
    return Verdicts("websearch", 2, "ab" * 32, 2_000, False, 7, 20_000, 200, slos, points, drift)


SEQ = run("SEQ", MISSES)
RC = run("RC-4", UNSURE, note="threshold 225 ms")
BOTH = verdicts(
    point("30/s", run("websearch", MEETS), SEQ, RC),
    point("40.5/s", run("websearch", UNSURE), SEQ, RC, rate_mrps=40_500),
)
ALONE = verdicts(
    point("30/s", run("websearch", MEETS)),
    point("40.5/s", run("websearch", UNSURE), rate_mrps=40_500),
)
