"""Runs of the server set beside their replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import fidelity
import numpy as np
from fidelity import Served
from measured_tables import UNSTEERED
from numpy.typing import NDArray
from policies import COMPILED, subject_of
from predicting import recorded, replayed, with_times

from tailc.artifact.envelope import Policy
from tailc.models.core_types.model import CoreTypes
from tailc.models.workload import Workload

US_PER_S = NS_PER_MS = 1_000_000


@dataclass(frozen=True, eq=False)
class Run:
    """One policy at one rate: which requests came, and what became of them; no rate: a spike."""

    policy: str
    rate: int | None
    rows: NDArray[np.int64]
    measured: Served


@dataclass(frozen=True, eq=False)
class Judge:
    """What sets replays beside runs.

    recorded, alone: the held-out requests with the CPU times in their file, and with those that
    they took alone between the runs, the median of each.
    """

    compared: dict[str, Policy]
    recorded: Workload
    alone: Workload

    @staticmethod
    def build(compared: dict[str, Policy], alone_ms: Sequence[NDArray[np.float64]]) -> Judge:
        """From all times that requests took alone."""
        load = recorded(compared[COMPILED])
        return Judge(compared, load, with_times(load, np.median(alone_ms, axis=0)))

    def drift(self, alone_ms: Sequence[NDArray[np.float64]]) -> dict[str, object]:
        """By how much CPU times alone were longer than those in the file, and over each other."""
        over = [float(ms.sum() * NS_PER_MS / self.recorded.work_ns.sum()) for ms in alone_ms]
        spread = np.max(alone_ms, axis=0) / np.min(alone_ms, axis=0)
        return {
            "over_recorded": [round(one, 4) for one in over],
            "longest_over_shortest": {
                f"p{p}": round(float(np.percentile(spread, p)), 3) for p in (50, 95)
            },
        }

    def of_run(self, run: Run) -> dict[str, object]:
        """Figures of a run and of its replays."""
        replays = self.replays_of(run)
        figures = {which: fidelity.summary(served) for which, served in replays.items()}
        return {
            "rate_per_s": run.rate,
            "policy": run.policy,
            "requests": len(run.rows),
            **figures,
        }

    def of_spike(self, run: Run, phases: Sequence[tuple[int, int]]) -> dict[str, object]:
        """The figures by phase, the steps of the controller, and the replay without it."""
        replays = self.replays_of(run)
        steps = {which: [*map(asdict, served.steps)] for which, served in replays.items()}
        unsteered = CoreTypes(UNSTEERED, self.compared[run.policy].ladders)
        replays[UNSTEERED] = replayed(unsteered, self.alone, run.rows, run.measured.arrival_us)
        return {"requests": len(run.rows), "phases": by_phase(phases, replays), "steps": steps}

    def replays_of(self, run: Run) -> dict[str, Served]:
        """A run and its replays: with the CPU times that its requests take alone, and as run."""
        subject = subject_of(run.policy, self.compared[run.policy])
        as_run = with_times(self.alone, run.measured.cpu_ms)
        numbers, arrival_us = np.arange(len(run.rows)), run.measured.arrival_us
        return {
            "predicted": replayed(subject, self.alone, run.rows, arrival_us),
            "replayed": replayed(subject, as_run, numbers, arrival_us),
            "measured": run.measured,
        }


def by_phase(
    phases: Sequence[tuple[int, int]], replays: dict[str, Served]
) -> list[dict[str, object]]:
    """Latencies of the requests that came in each phase."""
    ends_us = US_PER_S * np.cumsum([seconds for _, seconds in phases])
    return [
        {
            "rate_per_s": rate,
            "seconds": seconds,
            **{
                which: fidelity.latencies(served, np.digitize(served.arrival_us, ends_us) == number)
                for which, served in replays.items()
            },
        }
        for number, (rate, seconds) in enumerate(phases)
    ]
