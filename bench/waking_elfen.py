"""What waking up costs on lanes: batch work after requests, and a core that sleeps without it.

    python -m bench.waking_elfen

Figures are means over repetitions with a 95 % interval of that mean, on common random numbers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from bench.lanes_study import LanesStudy
from bench.study import Figure
from bench.timing import show
from bench.trends_elfen import demand, p99
from tailc.forms.ladder.lanes import Lanes, Waking
from tailc.policies.elfen.lanes_spec import CYCLES_PER_US, WAKE_CYCLES
from tailc.traces.profile import DemandProfile

LANES = Lanes(1, 330_000, 330_000)
# Requests of the example, and the same a thousand times shorter and more frequent.
SHORTER = (1, 1_000)
RATE_RPS = 80
CORE_WAKE_US = 100
RATES = (20, 80)

Row = list[str]


def main() -> None:
    profile = demand()
    shown = [f"batch work lost at {RATE_RPS * times:,}/s, %" for times in SHORTER]
    show(["batch work wakes up after", *shown], batch_rows(profile))
    shown = [f"at {rate}/s" for rate in RATES]
    show([f"without batch work, a core that wakes up in {CORE_WAKE_US} us", *shown], _core(profile))


def batch_rows(profile: DemandProfile) -> Iterator[Row]:
    """By mechanism: the share that borrow-idle loses, and what exponential idle periods say."""
    for name, cycles in WAKE_CYCLES.items():
        wake_ns = round(1_000 * cycles / CYCLES_PER_US)
        told = [_lost(profile, times, wake_ns) for times in SHORTER]
        yield [f"{name}, {wake_ns} ns", *told]


def _lost(profile: DemandProfile, times: int, wake_ns: int) -> str:
    rate_rps = RATE_RPS * times
    study = LanesStudy(_shorter(profile, times), LANES, waking=Waking(batch_ns=wake_ns))
    awake = LanesStudy(study.profile, LANES)
    pairs = zip(
        study.runs_at(study.alone, rate_rps), awake.runs_at(awake.alone, rate_rps), strict=True
    )
    lost = Figure.build([100 * (1 - late.batch / all_of_it.batch) for late, all_of_it in pairs])
    wanted = 100 * (1 - math.exp(-rate_rps * wake_ns / 1e9))
    return f"{lost.text(4)}; {wanted:.4f}"


def _shorter(profile: DemandProfile, times: int) -> DemandProfile:
    return dataclasses.replace(profile, demand_ms=profile.demand_ms / times)


def _core(profile: DemandProfile) -> Iterator[Row]:
    """How much slower requests are without batch work than beside cores that it keeps awake."""
    study = LanesStudy(profile, LANES, waking=Waking(core_ns=1_000 * CORE_WAKE_US))
    for name, of in (("p99, ms more", p99), ("mean, ms more", lambda run: run.mean_ms)):
        parts = [
            Figure.build([of(a) - of(b) for a, b in zip(*_pair(study, rate), strict=True)])
            for rate in RATES
        ]
        yield [name, *(part.text(3) for part in parts)]


def _pair(study: LanesStudy, rate_rps: int) -> tuple[tuple, tuple]:
    return study.without_batch(rate_rps), study.runs_at(study.alone, rate_rps)


if __name__ == "__main__":
    main()
