"""Content of a policy from either encoding, before its meaning is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# The schema this reader was written for; a newer minor version only adds what may be ignored.
SCHEMA_MAJOR, SCHEMA_MINOR = 1, 12


@dataclass(frozen=True)
class Head:
    """Identity of a policy.

    signature_expires_s: Unix second at which its checked signature expires; None if it never
    expires, or was not checked.
    """

    name: str
    kind: str
    generation: int
    policy_digest: str
    signature_expires_s: int | None = None


@dataclass(frozen=True)
class RawRow:
    """A row for loads from `first_load` on; climbs as ages from execution start, and rungs."""

    first_load: int
    admission: str
    delay_us: int
    ages_us: tuple[int, ...]
    rungs: tuple[int, ...]


@dataclass(frozen=True)
class RawUnit:
    """A cost unit; `capacity_ppm` None: unlimited."""

    name: str
    capacity_ppm: int | None


@dataclass(frozen=True)
class RungSetting:
    """What a rung is: its speed, its cost in every cost unit, and what a server sets for it.

    move_us: time of a climb to it; None: no time. threads, frequency_khz, core_type, lane (`shared`
    or `alone`): None if the rung does not determine it. one_thread_ppm: speed of one thread with
    the other settings of this rung; None: unknown.
    """

    name: str
    speed_ppm: int
    cost_ppm: tuple[int, ...]
    move_us: int | None = None
    threads: int | None = None
    frequency_khz: int | None = None
    core_type: str | None = None
    lane: str | None = None
    one_thread_ppm: int | None = None


@dataclass(frozen=True)
class RawPower:
    """Number of the cost unit that is power, and power of free cores by cost unit."""

    unit: int
    idle_ppm: tuple[int, ...]


class RawOverload(NamedTuple):
    """Rules for overload; a field is None without its rule."""

    shed_from: int | None
    cut_off_us: int | None
    degrade_from: int | None
    work_ppm: int | None


class RawSharing(NamedTuple):
    """Rules for a shared resource; a field is None without its rule."""

    start_unit: int | None
    start_below_ppm: int | None
    give_up_us: int | None


@dataclass(frozen=True)
class RawLadder:
    """A ladder; words are those of canonical JSON."""

    load_axis: str
    request_class: str | None
    cost_units: tuple[RawUnit, ...]
    rungs: tuple[RungSetting, ...]
    rules: tuple[str, ...]
    quantum_us: int
    rows: tuple[RawRow, ...]
    min_load: int
    max_load: int
    outside: str
    boost: tuple[int, int] | None
    power: RawPower | None
    overload: RawOverload | None
    sharing: RawSharing | None


@dataclass(frozen=True)
class RawController:
    """A controller; a row of gains is its first rate, kp, ki and kd."""

    acts_on: str
    percentile_ppm: int
    target_us: int
    epoch_requests: int
    window_requests: int
    first_ppm: int
    least_ppm: int
    most_ppm: int
    fraction_bits: int
    gains: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class RawTailRow:
    """Remaining work until each request is done, the running one first, from `from_elapsed` on."""

    from_elapsed: int
    left: tuple[int, ...]


@dataclass(frozen=True)
class RawTailTable:
    """A tail table.

    level: frequency [kHz] and power [mW]. sleep: power and time to wake [ns]. batch: lowest
    frequency of requests, frequency of batch work, and its power. transition: halt [ns] and energy
    [nJ] of a change of frequency.
    """

    percentile_ppm: int
    bound_us: int
    levels: tuple[tuple[int, int], ...]
    cycles: tuple[RawTailRow, ...]
    memory_ns: tuple[RawTailRow, ...]
    sleep: tuple[int, int]
    cores: int
    batch: tuple[int, int, int] | None
    reference_khz: int | None
    transition: tuple[int, int] | None


@dataclass(frozen=True)
class RawMachine:
    """A machine on a host; `target_milli` None: it gets the remaining share."""

    name: str
    target_milli: int | None
    first_a_ppm: int
    first_b_milli: int


@dataclass(frozen=True)
class RawShareCap:
    """Rules for the cap of a machine whose throughput does not follow its share."""

    steps: int
    probe_steps: int
    headroom_ppm: int


@dataclass(frozen=True)
class RawShares:
    """Shares of a host; words are those of canonical JSON. `cap` None: there are no caps."""

    law: str
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
    machines: tuple[RawMachine, ...]
    cap: RawShareCap | None


@dataclass(frozen=True)
class RawPool:
    """Servers without order of preference; `racks` None: unknown."""

    name: str
    servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    racks: int | None


@dataclass(frozen=True)
class RawEpoch:
    """Expected energy of an epoch; `first_green_pool` None: there is one bus.

    battery_mj: energy into the battery, negative out of it; None without a battery.
    """

    green_mw: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int
    first_green_pool: int | None
    battery_mj: int | None


class RawSpan(NamedTuple):
    """A number of servers of a pool, from an epoch on, for a number of epochs."""

    pool: int
    first_epoch: int
    epochs: int
    servers: int


@dataclass(frozen=True)
class RawJob:
    """A job of the plan, and its places."""

    name: str
    spans: tuple[RawSpan, ...]
    green_slots: int


class RawBattery(NamedTuple):
    """A battery: largest power in and out [mW], stored share of charged energy [ppm], and energy
    at the start."""

    capacity_mj: int
    charge_mw: int
    discharge_mw: int
    kept_ppm: int
    first_mj: int


@dataclass(frozen=True)
class RawPlan:
    """A plan; prices by pool and epoch.

    terms: payment of a green and of another slot, and the penalty. malleable: cost of an epoch of
    delay and the largest slowdown. battery: None without one. grid_mw: power that is bought at a
    negative price; None: no price is negative. later_jobs: the rule for other jobs; None: prices.
    """

    start_unix_s: int
    epoch_s: int
    pools: tuple[RawPool, ...]
    epochs: tuple[RawEpoch, ...]
    jobs: tuple[RawJob, ...]
    prices: tuple[tuple[int, ...], ...]
    terms: tuple[int, int, int] | None
    malleable: tuple[int, int] | None
    violations_ppm: int
    battery: RawBattery | None
    grid_mw: int | None
    later_jobs: str | None


class RawStepPart(NamedTuple):
    """Time [ns] of an iteration by an amount, at its knots."""

    knots: tuple[int, ...]
    time_ns: tuple[int, ...]


@dataclass(frozen=True)
class RawBudgetTable:
    """A budget table; a row is its first number of decoding sequences, the most sequences that
    start, and its budgets. parts: times by tokens, prompt tokens, decoding sequences and context.
    """

    first_waiting: tuple[int, ...]
    rows: tuple[tuple[int, int, tuple[int, ...]], ...]
    kv_blocks: int
    block_tokens: int
    max_sequences: int
    fixed_ns: int
    parts: tuple[RawStepPart, ...]


RawForm = RawLadder | RawController | RawTailTable | RawShares | RawPlan | RawBudgetTable
