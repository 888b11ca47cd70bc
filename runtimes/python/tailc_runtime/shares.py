"""Shares of a host in memory: converts measured throughput to the share of each machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tailc_runtime.controller import PPM
from tailc_runtime.counters import Counters
from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import Head, RawMachine, RawShareCap, RawShares
from tailc_runtime.shares_cap import LARGEST_HEADROOM_PPM, MOST_CAP_STEPS, Cap, Mode

POLE_PLACEMENT, OBSERVER = "pole-placement", "observer"
LARGEST_COVARIANCE = 1_000_000
# So many levels of each machine are kept.
LARGEST_LAG = 1_000_000
# Throughput beyond so many times its target counts as that.
LARGEST_LEVEL = 1_000.0
_MILLI = 1_000


class Served:
    """State of a machine with a target.

    a, b: estimate of its model in units of its target. believed: last accepted estimate. missed:
    its error at the last step. short_steps: consecutive steps with a share below the requested one,
    or the whole host, and below target. cap: cap of its share. busy_ticks: ticks since the last one
    without waiting requests.
    """

    def __init__(self, machine: RawMachine, raw: RawShares) -> None:
        assert machine.target_milli is not None
        self.name = machine.name
        self.target = machine.target_milli / _MILLI
        self._first_model = machine.first_a_ppm / PPM, machine.first_b_milli / machine.target_milli
        self._first_covariance = float(raw.first_covariance)
        self.begin()
        self.cap = Cap(raw, *self._first_model)
        self.short_steps = 0
        lag = raw.step_us // raw.estimate_us
        self.busy_ticks = max(lag, -(-raw.window_us // raw.estimate_us))
        self.levels: deque[float] = deque(maxlen=lag)
        self.level_before: float | None = None
        self.missed = 0.0

    def begin(self) -> None:
        """Set the estimate to the first model."""
        self.a, self.b = self.believed = self._first_model
        self.covariance = self._first_covariance, 0.0, self._first_covariance

    @property
    def cap_ppm(self) -> int:
        """The cap; the whole host without one."""
        return self.cap.ppm


class Shares:
    """The share controller of one host; `machines` are in the order of the policy.

    Each has a `name`, a `target_milli` [thousandths of a unit of work per second], None for batch
    work, and the initial model `first_a_ppm` and `first_b_milli`. The other settings have the names
    of the artifact. The server calls `tick` once in `estimate_us`; `granted_ppm` is the share of
    each machine until the next call. `served` are the machines with a target.
    """

    def __init__(self, head: Head, raw: RawShares, counters: Counters) -> None:
        _check(raw)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.counters = counters
        self.law = raw.law
        self.pole_ppm = raw.pole_ppm
        self.window_us = raw.window_us
        self.estimate_us = raw.estimate_us
        self.step_us = raw.step_us
        self.enforce_us = raw.enforce_us
        self.forgetting_ppm = raw.forgetting_ppm
        self.first_covariance = raw.first_covariance
        self.least_b_ppm = raw.least_b_ppm
        self.least_ppm = raw.least_ppm
        self.host_ppm = raw.host_ppm
        self.shortage_steps = raw.shortage_steps
        self.tolerance_ppm = raw.tolerance_ppm
        self.cap = raw.cap
        self.machines = raw.machines
        self._lag = raw.step_us // raw.estimate_us
        self._full = -(-raw.window_us // raw.estimate_us)
        self.served = tuple(
            Served(machine, raw) for machine in raw.machines if machine.target_milli is not None
        )
        self.ticks = 0
        asked = [one.cap.requested_ppm((1.0 - one.a) / one.b) for one in self.served]
        self.granted_ppm = self._granted_before = self._shared_out(asked)

    def tick(
        self, throughput: Sequence[float], waiting: Sequence[int] | None = None
    ) -> tuple[int, ...]:
        """Make one estimate, and a step when one is due; returns the new `granted_ppm` by machine.

        throughput: of each machine of `served` [work/s], mean over the last `window_us`, or since
        the start while that is shorter. waiting: number of waiting requests of each; None, or any
        number above 0 for a machine for which it is unknown, means that work is waiting. Raises
        ValueError for invalid numbers, and then the state is unchanged.
        """
        if len(throughput) != len(self.served) or not all(t >= 0.0 for t in throughput):
            raise ValueError(
                "throughputs must be numbers, 0 or more, one for each machine with a target"
            )
        waits = [1] * len(self.served) if waiting is None else waiting
        if len(waits) != len(self.served) or not all(count >= 0 for count in waits):
            raise ValueError(
                "waiting requests must be numbers, 0 or more, for each machine with a target"
            )
        self.ticks += 1
        ticks, lag = self.ticks, self._lag
        since = (ticks - 1) % lag + 1
        grants = self._of_served(self.granted_ppm), self._of_served(self._granted_before)
        for one, measured, count, now, before in zip(
            self.served, throughput, waits, *grants, strict=True
        ):
            level = min(measured / one.target, LARGEST_LEVEL)
            one.busy_ticks = one.busy_ticks + 1 if count else 0
            is_sample = one.cap.mode is Mode.FREE and one.busy_ticks >= max(lag, self._full)
            if is_sample and ticks >= self._full + lag:
                share = (since * now + (lag - since) * before) / (lag * PPM)
                self._estimate(one, one.levels[0], share, level)
            one.levels.append(level)
        if ticks % lag == 0 and ticks >= self._full:
            self._step(grants[0])
        return self.granted_ppm

    def cannot_meet(self) -> tuple[bool, ...]:
        """For each machine of `served`, whether a lasting shortage shows that its target is too
        high.

        With caps: a machine that was capped after a trial; and if one that is short needs more than
        the whole host, only such machines.
        """
        short = [one.short_steps >= self.shortage_steps for one in self.served]
        if self.cap is None:
            return tuple(short)
        host = self.host_ppm / PPM
        causes = [
            is_short and 1.0 - one.believed[0] > one.believed[1] * host
            for is_short, one in zip(short, self.served, strict=True)
        ]
        named = causes if any(causes) else short
        return tuple(
            name or one.cap.mode >= Mode.CAPPED
            for name, one in zip(named, self.served, strict=True)
        )

    def _estimate(self, one: Served, x: float, u: float, y: float) -> None:
        """Recursive least squares with forgetting, in this order of operations.

        x, y: the level one lag ago and now. u: the mean share since.
        """
        forgetting = self.forgetting_ppm / PPM
        p_aa, p_ab, p_bb = one.covariance
        h_a = p_aa * x + p_ab * u
        h_b = p_ab * x + p_bb * u
        weight = forgetting + (x * h_a + u * h_b)
        k_a, k_b = h_a / weight, h_b / weight
        error = y - (one.a * x + one.b * u)
        one.a, one.b = one.a + k_a * error, one.b + k_b * error
        p_aa, p_ab, p_bb = p_aa - k_a * h_a, p_ab - k_a * h_b, p_bb - k_b * h_b
        if p_aa + p_bb <= 2 * self.first_covariance * forgetting:
            p_aa, p_ab, p_bb = p_aa / forgetting, p_ab / forgetting, p_bb / forgetting
        one.covariance = p_aa, p_ab, p_bb
        if abs(one.a) < 1.0 and one.b > self.least_b_ppm / PPM:
            one.believed = one.a, one.b

    def _step(self, had_ppm: list[int]) -> None:
        """New shares of all machines; `had_ppm` is the mean share of those served."""
        asked = [
            self._requested_ppm(one, had) for one, had in zip(self.served, had_ppm, strict=True)
        ]
        self._granted_before, self.granted_ppm = self.granted_ppm, self._shared_out(asked)
        given = self._of_served(self.granted_ppm)
        for one, wanted, got in zip(self.served, asked, given, strict=True):
            is_below = one.level_before is not None and one.level_before < 1.0
            if is_below and (got < wanted or got == self.host_ppm):
                one.short_steps += 1
            elif not (is_below and one.cap.is_tested):
                one.short_steps = 0

    def _requested_ppm(self, one: Served, had_ppm: int) -> int:
        """Share that a machine requests; sets its `level_before` to that of this step."""
        level, before, share = one.levels[-1], one.level_before, had_ppm / PPM
        # At a target at least where it has no more work to do.
        ran_out = one.busy_ticks < self._full
        level = max(level, 1.0) if ran_out else level
        is_met = level >= 1.0 and before is not None and before >= 1.0
        if one.cap.step(level, had_ppm, is_met=is_met, is_short=one.short_steps > 0):
            one.begin()
        request = self._out_of_work(one, share) if ran_out else self._request(one, level, share)
        one.level_before = level
        return one.cap.requested_ppm(request) if one.cap.mode is Mode.FREE else one.cap.ppm

    def _out_of_work(self, one: Served, share: float) -> float:
        """Its current share, or less if the model needs less for the target."""
        a, b = one.believed
        one.missed = 0.0
        return min(share, (1.0 - a) / b)

    def _request(self, one: Served, level: float, share: float) -> float:
        """Share that the control law requests, without limits."""
        (a, b), pole, before = one.believed, self.pole_ppm / PPM, one.level_before
        missed = 0.0 if before is None else level - (a * before + b * share)
        lasting, one.missed = _common(missed, one.missed), missed
        if self.law == OBSERVER:
            return (((1.0 - pole) + (pole - a) * level) - lasting) / b
        gain = (1.0 - pole) / b
        error_before = 0.0 if before is None else 1.0 - before
        return (share + gain * (1.0 - level)) - (a * gain) * error_before

    def _shared_out(self, asked: list[int]) -> tuple[int, ...]:
        given = iter(_cut(asked, self.host_ppm, self.least_ppm))
        others = len(self.machines) - len(asked)
        left = max(self.host_ppm - sum(asked), 0) // others if others else 0
        return tuple(left if m.target_milli is None else next(given) for m in self.machines)

    def _of_served(self, granted_ppm: tuple[int, ...]) -> list[int]:
        pairs = zip(self.machines, granted_ppm, strict=True)
        return [granted for machine, granted in pairs if machine.target_milli is not None]


def _common(one: float, other: float) -> float:
    """The smaller of two errors, 0 if their signs differ: a disturbance that may last."""
    if one > 0.0 and other > 0.0:
        return min(one, other)
    return max(one, other) if one < 0.0 and other < 0.0 else 0.0


def _cut(asked: list[int], host_ppm: int, least_ppm: int) -> list[int]:
    """The requested shares; if they exceed the host, reduced in proportion, but to no less than
    the minimum."""
    if sum(asked) <= host_ppm:
        return asked
    at_least: set[int] = set()
    while True:
        rest = host_ppm - least_ppm * len(at_least)
        among = sum(ppm for place, ppm in enumerate(asked) if place not in at_least)
        parts = [
            least_ppm if place in at_least else ppm * rest // among
            for place, ppm in enumerate(asked)
        ]
        below = {place for place, part in enumerate(parts) if part < least_ppm}
        if not below:
            return parts
        at_least |= below


def _check(raw: RawShares) -> None:
    _require(raw.law in (POLE_PLACEMENT, OBSERVER), f"unknown value `{raw.law}` of `law`")
    _require(0 <= raw.pole_ppm < PPM, "`pole_ppm` must be 0 to 999,999")
    times = (raw.window_us, raw.estimate_us, raw.step_us, raw.enforce_us)
    _require(
        min(times) > 0, "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1"
    )
    _require(raw.step_us % raw.estimate_us == 0, "`step_us` must be a multiple of `estimate_us`")
    few = raw.step_us // raw.estimate_us <= LARGEST_LAG
    _require(few, "`step_us` must be at most 1,000,000 times `estimate_us`")
    _require(0 < raw.forgetting_ppm <= PPM, "`forgetting_ppm` must be 1 to 1,000,000")
    held = 0 < raw.first_covariance <= LARGEST_COVARIANCE
    _require(held, "`first_covariance` must be 1 to 1,000,000")
    _require(raw.least_b_ppm > 0, "`least_b_ppm` must be at least 1")
    _require(0 < raw.host_ppm <= PPM, "`host_ppm` must be 1 to 1,000,000")
    _require(raw.shortage_steps > 0, "`shortage_steps` must be at least 1")
    _require(raw.tolerance_ppm > 0, "`tolerance_ppm` must be at least 1")
    _check_machines(raw)
    if raw.cap is not None:
        _check_cap(raw.cap)


def _check_cap(cap: RawShareCap) -> None:
    least, most = sorted((cap.steps, cap.probe_steps))
    few = 0 < least <= most <= MOST_CAP_STEPS
    _require(few, "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000")
    is_bounded = 0 < cap.headroom_ppm <= LARGEST_HEADROOM_PPM
    _require(is_bounded, "`headroom_ppm` of `cap` must be 1 to 10,000,000")


def _check_machines(raw: RawShares) -> None:
    served = sum(machine.target_milli is not None for machine in raw.machines)
    _require(served > 0, "at least one machine must have `target_milli`")
    promised = 0 <= raw.least_ppm * served <= raw.host_ppm
    _require(promised, "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`")
    for machine in raw.machines:
        _require(bool(machine.name), "`name` of a machine must not be empty")
        target = machine.target_milli
        _require(target is None or target > 0, "`target_milli` must be at least 1")
        _require(abs(machine.first_a_ppm) < PPM, "`first_a_ppm` must be -999,999 to 999,999")
        _require(machine.first_b_milli > 0, "`first_b_milli` must be at least 1")
    names = {machine.name for machine in raw.machines}
    _require(len(names) == len(raw.machines), "two machines have the same `name`")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
