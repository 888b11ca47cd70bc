"""Machines whose throughput follows their share: the controlled plant of a replay.

In step k machine i does

    t_k = (a_k t_(k-1) + b_k s) m_k,    s = r (1 + bend (1 - r)) (1 - contention q)

units of work per second, with r its share and q the share of all others. This is the model of
Bartolini, 2015, eq. 2.1, with a and b that may change (phases), noise m, decreasing returns of the
share (bend), and slowdown by others on the host (contention). A machine does no more than its
offered work. If the host reports waiting work, it reports none while a machine does all of its
offered work. Measurements are of the work done in a window, in whole units if the machine signals
each unit (`unit`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.shares import MILLI, PPM, ShareLaw, Shares
from tailc.forms.shares_cap import steps_to_settle
from tailc.forms.shares_step import full_ticks, lag_ticks
from tailc.models.cpu_shares import engine as kernels
from tailc.models.cpu_shares.cap_engine import CapSettings
from tailc.models.cpu_shares.outcome import CpuSharesOutcome

Floats = NDArray[np.float64]
US_PER_S = 1e6
_LAWS = {
    ShareLaw.POLE_PLACEMENT: kernels.POLE_PLACEMENT,
    ShareLaw.OBSERVER: kernels.OBSERVER,
}


@dataclass(frozen=True, eq=False)
class HostMachines:
    """Machines with a throughput target as a replay simulates them, in the order of the policy.

    Symbols are those of the module.

    Attributes:
        a, b, disturbed: coefficients of the throughput model, and noise factor m, float64
            (machines, steps); b in work per second for the whole host.
        start: throughput before the first step, float64 (machines,).
        unit: work of one signal, 0 if work is not counted in units.
        contention: slowdown by the shares of others, 0 for none.
        bend: how much less than proportionally throughput grows with the share, 0 for proportional.
        offered: work per second that arrives, infinite if work always waits, float64 (machines,
            steps).
        is_reported: whether the controller learns that no request waits, bool (machines, steps).
    """

    a: Floats
    b: Floats
    disturbed: Floats
    start: Floats
    unit: Floats
    contention: Floats
    bend: Floats
    offered: Floats
    is_reported: NDArray[np.bool_]

    def __post_init__(self) -> None:
        machines = len(self.start)
        assert self.a.shape == self.b.shape == self.disturbed.shape == self.offered.shape
        assert self.a.shape[0] == machines
        assert len(self.unit) == len(self.contention) == len(self.bend) == machines
        assert self.is_reported.shape == self.a.shape
        assert (self.disturbed >= 0).all()

    @property
    def steps(self) -> int:
        """Number of steps that a replay of these machines has."""
        return self.a.shape[1]


def replay(shares: Shares, plant: HostMachines, given: Floats | None = None) -> CpuSharesOutcome:
    """Simulate the machines under the controller of CPU shares, or with the shares `given`.

    given: (machines, steps); they may not exceed the host together. The models are estimated in
    both cases.
    """
    settings = _settings(shares, is_given=given is not None)
    machines, steps = plant.a.shape
    world = kernels.World(
        plant.a,
        plant.b,
        plant.disturbed,
        plant.start,
        plant.unit,
        plant.contention,
        plant.bend,
        plant.offered,
        plant.is_reported,
    )
    log = kernels.ShareLog(
        throughput=np.zeros((machines, steps)),
        granted_ppm=np.zeros((machines, steps)),
        online=np.zeros((machines, steps)),
        offline=np.zeros((machines, steps)),
        is_short=np.zeros((machines, steps), np.bool_),
        is_capped=np.zeros((machines, steps), np.bool_),
        ran_out=np.zeros((machines, steps), np.bool_),
        batch_ppm=np.zeros(steps),
    )
    given_ppm = np.zeros((machines, steps), np.int64)
    if given is not None:
        given_ppm = np.floor(given * PPM).astype(np.int64)
        assert (given_ppm.sum(axis=0) <= shares.host_ppm).all()
    kernels.run(settings, world, given_ppm, log)
    return CpuSharesOutcome(
        throughput=log.throughput,
        share=log.granted_ppm / PPM,
        online=log.online,
        offline=log.offline,
        is_short=log.is_short,
        is_capped=log.is_capped,
        ran_out=log.ran_out,
        batch_share=log.batch_ppm * settings.batch / PPM,
        target=settings.target,
        settling=settling_steps(shares),
    )


def settling_steps(shares: Shares) -> int:
    """Number of steps until a window is full; measurements before do not count."""
    return -(-full_ticks(shares) // lag_ticks(shares))


def _settings(shares: Shares, *, is_given: bool) -> kernels.ShareSettings:
    target_milli = np.array(
        [machine.target_milli or 0 for machine in shares.served_machines], float
    )
    ticks = shares.window_us / shares.estimate_us
    return kernels.ShareSettings(
        law=kernels.GIVEN if is_given else _LAWS[shares.law],
        pole=shares.pole_ppm / PPM,
        forgetting=shares.forgetting_ppm / PPM,
        first_covariance=float(shares.first_covariance),
        least_b=shares.least_b_ppm / PPM,
        least_ppm=shares.least_ppm,
        host_ppm=shares.host_ppm,
        batch=len(shares.machines) - len(shares.served_machines),
        lag=lag_ticks(shares),
        full=full_ticks(shares),
        window_ticks=max(round(ticks), 1),
        tick_s=shares.estimate_us / US_PER_S,
        shortage_steps=shares.shortage_steps,
        target=target_milli / MILLI,
        first_a=np.array([machine.first_a_ppm / PPM for machine in shares.served_machines]),
        first_b=np.array(
            [
                machine.first_b_milli / (machine.target_milli or 0)
                for machine in shares.served_machines
            ]
        ),
        cap=_cap_settings(shares),
    )


def _cap_settings(shares: Shares) -> CapSettings:
    cap = shares.cap
    return CapSettings(
        least_ppm=shares.least_ppm,
        host_ppm=shares.host_ppm,
        steps=cap.steps if cap else 0,
        probe_steps=cap.probe_steps if cap else 0,
        factor_ppm=PPM + (cap.headroom_ppm if cap else 0),
        settling=steps_to_settle(shares),
    )
