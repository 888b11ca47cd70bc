"""The shares form: set each machine's share of a host from measured throughput.

A machine's throughput is modelled as t(k+1) = a t(k) + b r(k), r the share granted in [k, k+1)
(Bartolini, 2015, eq. 2.1). The runtime estimates a and b by recursive least squares with
forgetting, computes a requested share with a law that places the closed loop's pole, and a broker
reduces the requests to the capacity of the host. Settings and grants are whole numbers; estimates
and requests are IEEE doubles in the order of operations that is written in `shares_step`, without
fused multiply-add, so that every runtime computes the same.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

PPM = 1_000_000
MILLI = 1_000
# Up to this covariance, rounding leaves ten digits.
LARGEST_COVARIANCE = 1_000_000
# A runtime stores the levels of this many ticks; sums of their shares stay below 2^53.
LARGEST_LAG = 1_000_000
# With at most this number of steps, sums of shares stay below 2^53.
MOST_CAP_STEPS = 1_000_000
LARGEST_HEADROOM_PPM = 10 * PPM


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


class ShareLaw(enum.Enum):
    """The control law: how the next CPU share of a machine follows from its measured throughput.

    pole-placement: r(k) = r(k-1) + (1-p)/b (e(k) - a e(k-1)), with throughput t, e = target - t
    (eq. 2.5), the model t(k+1) = a t(k) + b r(k), and the pole p. The effect of a disturbance of
    the throughput decays at the rate a, with an overshoot if the disturbance ends suddenly.
    observer: the share that brings the model's throughput to p t + (1-p) target, where the model is
    corrected by the common part of its last two errors. The effect of a short disturbance decays at
    the rate p, and so does that of a lasting one, from its second step on.
    """

    POLE_PLACEMENT = "pole-placement"
    OBSERVER = "observer"


@dataclass(frozen=True)
class Machine:
    """A virtual machine: its target and the first model of its throughput.

    The model is t(k + 1) = a t(k) + b r(k) for throughput t and share r. target_milli: target in
    thousandths of a unit of work per second; None for batch work, which gets the rest of the host.
    first_a_ppm: first a [1e-6]. first_b_milli: first b, in thousandths of a unit of work per second
    for the whole host.
    """

    name: str
    target_milli: int | None
    first_a_ppm: int
    first_b_milli: int

    def __post_init__(self) -> None:
        _require(bool(self.name), "`name` of a machine must not be empty")
        _require(
            self.target_milli is None or self.target_milli > 0, "`target_milli` must be at least 1"
        )
        _require(abs(self.first_a_ppm) < PPM, "`first_a_ppm` must be -999,999 to 999,999")
        _require(self.first_b_milli > 0, "`first_b_milli` must be at least 1")


@dataclass(frozen=True)
class ShareCap:
    """The rule that caps machines whose throughput does not follow their share (`shares_cap`).

    steps: steps of each comparison. probe_steps: steps of a cap until it is tested again.
    headroom_ppm: margin of a cap above the share that the machine uses, relative to that; also the
    relative difference of shares that are compared.
    """

    steps: int
    probe_steps: int
    headroom_ppm: int

    def __post_init__(self) -> None:
        few = 0 < self.steps <= MOST_CAP_STEPS and 0 < self.probe_steps <= MOST_CAP_STEPS
        _require(few, "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000")
        is_bounded = 0 < self.headroom_ppm <= LARGEST_HEADROOM_PPM
        _require(is_bounded, "`headroom_ppm` of `cap` must be 1 to 10,000,000")


@dataclass(frozen=True)
class Shares:
    """The shares form: machines on one host, and the parameters of the controller.

    Attributes:
        law, pole_ppm: the control law, and its pole p [1e-6].
        window_us: time over which throughput is averaged.
        estimate_us, step_us, enforce_us: periods at which the model is estimated, shares are
            decided, and the scheduler enforces them.
        forgetting_ppm, first_covariance: forgetting factor and first covariance of the estimate,
            which is in units of a machine's target.
        least_b_ppm: least accepted coefficient b of the model, in millionths of a machine's target.
        least_ppm, host_ppm: least share of each machine with a target, and largest sum of all
            shares.
        shortage_steps: number of consecutive steps below target, with the request cut or the whole
            host granted, that show that a target cannot be met.
        tolerance_ppm: the promised limit on the mean absolute error of each machine's throughput at
            the steps, relative to its target.
        machines: all machines.
        cap: when a machine is capped; None: never.
    """

    law: ShareLaw = field(metadata={"since": 3})
    pole_ppm: int
    window_us: int
    estimate_us: int
    step_us: int
    enforce_us: int
    forgetting_ppm: int
    first_covariance: int
    least_b_ppm: int
    least_ppm: int
    host_ppm: int
    shortage_steps: int
    tolerance_ppm: int
    machines: tuple[Machine, ...]
    cap: ShareCap | None = field(default=None, metadata={"since": 9})

    def __post_init__(self) -> None:
        _require(0 <= self.pole_ppm < PPM, "`pole_ppm` must be 0 to 999,999")
        times = (self.window_us, self.estimate_us, self.step_us, self.enforce_us)
        _require(
            min(times) > 0,
            "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
        )
        _require(
            self.step_us % self.estimate_us == 0, "`step_us` must be a multiple of `estimate_us`"
        )
        is_kept = self.step_us // self.estimate_us <= LARGEST_LAG
        _require(is_kept, "`step_us` must be at most 1,000,000 times `estimate_us`")
        _require(0 < self.forgetting_ppm <= PPM, "`forgetting_ppm` must be 1 to 1,000,000")
        covariance_held = 0 < self.first_covariance <= LARGEST_COVARIANCE
        _require(covariance_held, "`first_covariance` must be 1 to 1,000,000")
        _require(self.least_b_ppm > 0, "`least_b_ppm` must be at least 1")
        _require(0 < self.host_ppm <= PPM, "`host_ppm` must be 1 to 1,000,000")
        _require(self.shortage_steps > 0, "`shortage_steps` must be at least 1")
        _require(self.tolerance_ppm > 0, "`tolerance_ppm` must be at least 1")
        _require(bool(self.served_machines), "at least one machine must have `target_milli`")
        promised = self.least_ppm * len(self.served_machines)
        _require(
            0 <= promised <= self.host_ppm,
            "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`",
        )
        names = [machine.name for machine in self.machines]
        _require(len(set(names)) == len(names), "two machines have the same `name`")

    @property
    def served_machines(self) -> tuple[Machine, ...]:
        """The machines of the form that have a throughput target; batch machines have none."""
        return tuple(machine for machine in self.machines if machine.target_milli is not None)
