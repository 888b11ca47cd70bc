"""A core with two hardware threads (SMT lanes) as two rungs: shared with batch work, or alone.

Batch work runs on the other lane of every core that is free or whose request is on the rung
`shared`; a request on the rung `alone` has the core to itself. The cost of a rung is the batch work
given up for it, relative to a lane next to a free core (Yang et al., USENIX ATC 2016).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tailc.forms.ladder.table import (
    AT_ONCE,
    PPM,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    Lane,
    LoadAxis,
    Power,
    Row,
    Rule,
    Rung,
)

CORES = "cores"
BATCH = "batch work given up"
SHARED, ALONE = 0, 1
# Batch threads check at every method entry and loop (Yang et al., section 3), here at once.
QUANTUM_US = 1
# A thousandth of a request per second, times microseconds.
_MRPS_US = 10**9


@dataclass(frozen=True)
class Lanes:
    """Cores with two SMT lanes, and how much each lane slows down while both are busy [1e-6]."""

    cores: int
    interference_ppm: int
    batch_slowdown_ppm: int

    def __post_init__(self) -> None:
        assert self.cores > 0
        assert 0 <= self.interference_ppm < PPM
        assert 0 <= self.batch_slowdown_ppm < PPM

    def lost_waking(self, beside_free: float, beside_requests: float) -> float:
        """Batch work lost while batch work wakes up, relative to that of one free core.

        beside_free, beside_requests: mean number of cores on which batch work wakes, without and
        with a request.
        """
        return beside_free + beside_requests * (1 - self.batch_slowdown_ppm / PPM)


@dataclass(frozen=True)
class Waking:
    """Wake-up times of an SMT core [ns].

    They are that of batch work on a free hardware thread, and that of a sleeping core for a
    request.
    """

    batch_ns: int = 0
    core_ns: int = 0

    def __post_init__(self) -> None:
        assert self.batch_ns >= 0
        assert self.core_ns >= 0


# No wake-up time.
AT_ONCE_AWAKE = Waking()


@dataclass(frozen=True)
class SharingPlan:
    """When requests share their core with batch work, by load: an age up to which they share.

    axis, rules: load axis and rules of the ladder. ages_us: pairs of first load and age, ascending;
    an age of 0 is alone from the start, None is never alone. last_load: the greatest load that the
    plan is made for.
    """

    axis: LoadAxis
    rules: tuple[Rule, ...]
    ages_us: tuple[tuple[int, int | None], ...]
    last_load: int

    def __post_init__(self) -> None:
        loads = [load for load, _ in self.ages_us]
        assert loads
        assert all(a < b for a, b in itertools.pairwise(loads))
        assert all(age is None or age >= 0 for _, age in self.ages_us)

    @property
    def longest_us(self) -> int | None:
        """The longest time for which a request shares its core with batch work, at any load.

        None: a request shares it for its whole run.
        """
        ages = [age for _, age in self.ages_us]
        return None if None in ages else max(age for age in ages if age is not None)


def lane_ladder(lanes: Lanes, plan: SharingPlan) -> Ladder:
    """Convert a sharing plan to a ladder for these lanes."""
    return Ladder(
        load_axis=plan.axis,
        request_class=None,
        cost_units=(CostUnit(CORES, lanes.cores * PPM), CostUnit(BATCH)),
        rungs=(
            Rung(
                "shared",
                PPM - lanes.interference_ppm,
                (PPM, lanes.batch_slowdown_ppm),
                lane=Lane.SHARED,
            ),
            Rung("alone", PPM, (PPM, PPM), lane=Lane.ALONE),
        ),
        rules=_sorted_rules(Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, *plan.rules),
        quantum_us=QUANTUM_US,
        rows=_rows(plan),
        guard=Guard(plan.ages_us[0][0], plan.last_load),
        power=Power(1, (0, 0)),
    )


def lanes_of(ladder: Ladder) -> Lanes:
    """Read the cores and the slowdowns of both SMT lanes from a ladder whose rungs are lanes."""
    assert is_on_lanes(ladder)
    assert ladder.power is not None
    shared = ladder.rungs[SHARED]
    slowdown_ppm = shared.cost_ppm[ladder.power.unit]
    return Lanes(cores_of(ladder), PPM - shared.speed_ppm, slowdown_ppm)


def cores_of(ladder: Ladder) -> int:
    """Number of cores that a ladder states for cores of a single kind."""
    (capacity_ppm,) = (u.capacity_ppm for u in ladder.cost_units if u.capacity_ppm is not None)
    return capacity_ppm // PPM


def batch_left_ppm(cores: int, given_up: int, rate_mrps: int) -> int:
    """Batch work per core at a request rate, relative to that of a core without requests [1e-6].

    given_up: batch work given up per request, in millionths of that of a free core, times
    microseconds.
    """
    return PPM - round(given_up * rate_mrps / (_MRPS_US * cores))


def is_on_lanes(ladder: Ladder) -> bool:
    """Whether the rungs of a ladder are lanes of a core: shared with batch work, or alone."""
    return ladder.power is not None and ladder.cost_units[ladder.power.unit].name == BATCH


def plan_by_rate(ages_us: tuple[tuple[int, int | None], ...], *rules: Rule) -> SharingPlan:
    """Make a plan of when requests share cores with batch work, by arrival rate.

    ages_us: pairs of a rate [1/1000 s], ascending, and the age up to which requests share. Between
    two rates the age of the higher one applies.
    """
    first = [0, *(rate + 1 for rate, _ in ages_us[:-1])]
    ages = zip(first, (age for _, age in ages_us), strict=True)
    return SharingPlan(LoadAxis.RATE, _sorted_rules(*rules), tuple(ages), ages_us[-1][0])


def plan_at_any_load(age_us: int | None, cores: int, *rules: Rule) -> SharingPlan:
    """Make a sharing plan in which requests stop sharing at the same age at every load."""
    return SharingPlan(LoadAxis.IN_SYSTEM, _sorted_rules(*rules), ((1, age_us),), cores)


def plan_while_none_waits(age_us: int | None, cores: int) -> SharingPlan:
    """Make a sharing plan for requests that leave no request waiting at their start.

    They share cores with batch work up to an age; all others have their core alone.
    """
    return SharingPlan(LoadAxis.IN_SYSTEM, (), ((1, age_us), (cores + 1, 0)), cores + 1)


def _sorted_rules(*rules: Rule) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: rule.value))


def _rows(plan: SharingPlan) -> tuple[Row, ...]:
    first = [load for load, _ in plan.ages_us]
    last = [*(load - 1 for load in first[1:]), None]
    ages = [age for _, age in plan.ages_us]
    return tuple(
        Row(low, high, AT_ONCE, _climbs(age))
        for low, high, age in zip(first, last, ages, strict=True)
    )


def _climbs(age_us: int | None) -> tuple[Climb, ...]:
    if age_us is None:
        return (Climb(0, SHARED),)
    return (Climb(0, ALONE),) if age_us == 0 else (Climb(0, SHARED), Climb(age_us, ALONE))
