"""The ladder form: the rung of a request by load and age, and its admission.

All values are whole numbers: ages and delays in microseconds, speeds and costs in millionths, loads
in requests in the system or in thousandths of a request per second. The constructors check every
invariant, so a value of these types is always valid.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.sharing import NO_SHARING, Sharing

PPM = 1_000_000


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _ascending(values: Sequence[int] | Sequence[str], otherwise: str) -> None:
    _require(all(a < b for a, b in itertools.pairwise(values)), otherwise)  # type: ignore[operator]


class LoadAxis(enum.Enum):
    """Load by which a ladder chooses its rows: requests in the system, or the arrival rate."""

    IN_SYSTEM = "in_system"
    RATE = "rate_mrps"


class Rule(enum.Enum):
    """What a runtime must do in addition to the look-up; a reader refuses unknown rules.

    core-per-request: a running request has a core of its rung's kind to itself; it climbs when such
    a core is free. make-room: the oldest requests climb early, to free cores for others, one kind
    of core at a time. This happens if more requests are in the system than there are cores of a
    kind and of slower kinds, or if all cores of a kind are busy and another request needs one;
    waiting requests may start on the freed cores. waited-start-last: a request that has waited
    starts on the last rung of its row. busy-period-age: a request that has waited starts at the age
    of the request that left its core, so that ages of climbs count all the time below the last rung
    since the core was last free. shed, cut-off, degrade: see `Overload`. start-below, give-up: see
    `Sharing`.
    """

    REREAD_ROW = "reread-row"
    NEVER_DESCEND = "never-descend"
    BOOST_LAST_RUNG = "boost-last-rung"
    AGE_FROM_ARRIVAL = "age-from-arrival"
    CORE_PER_REQUEST = "core-per-request"
    MAKE_ROOM = "make-room"
    WAITED_START_LAST = "waited-start-last"
    BUSY_PERIOD_AGE = "busy-period-age"
    SHED = "shed"
    CUT_OFF = "cut-off"
    DEGRADE = "degrade"
    START_BELOW = "start-below"
    GIVE_UP = "give-up"


class AdmissionKind(enum.Enum):
    """Way in which a row of a ladder lets a new request start."""

    AT_ONCE = "at-once"
    DELAY = "delay"
    ON_EXIT = "on-exit"


class Lane(enum.Enum):
    """Whether a request on a rung shares its SMT core with batch work (SHARED) or has it alone."""

    SHARED = "shared"
    ALONE = "alone"


class Outside(enum.Enum):
    """What a runtime does when the load is outside the range for which a ladder was compiled."""

    CLAMP = "clamp"
    FIRST_RUNG = "first-rung"


@dataclass(frozen=True)
class CostUnit:
    """A resource that rungs use; `capacity_ppm` is the server's supply of it in millionths."""

    name: str
    capacity_ppm: int | None = None

    def __post_init__(self) -> None:
        _require(bool(self.name), "`name` of a cost unit must not be empty")
        _require(
            self.capacity_ppm is None or self.capacity_ppm > 0, "`capacity_ppm` must be at least 1"
        )


@dataclass(frozen=True)
class Rung:
    """A way to run a request: work done per ms, and the cost of a ms in each cost unit.

    `move_us`: time without work of a request that climbs here, at this rung's cost; None: none.
    `threads`, `frequency_khz`, `core_type` and `lane` are what a server sets for a request on this
    rung; None: the rung does not determine it. `one_thread_ppm`: speed of one thread with the other
    settings of this rung; None: unknown.
    """

    name: str
    speed_ppm: int
    cost_ppm: tuple[int, ...]
    move_us: int | None = field(default=None, metadata={"since": 2})
    threads: int | None = field(default=None, metadata={"since": 10})
    frequency_khz: int | None = field(default=None, metadata={"since": 10})
    core_type: str | None = field(default=None, metadata={"since": 10})
    lane: Lane | None = field(default=None, metadata={"since": 10})
    one_thread_ppm: int | None = field(default=None, metadata={"since": 10})

    def __post_init__(self) -> None:
        _require(bool(self.name), "`name` of a rung must not be empty")
        _require(self.speed_ppm > 0, f"`speed_ppm` of rung `{self.name}` must be at least 1")
        _require(
            all(cost >= 0 for cost in self.cost_ppm),
            f"`cost_ppm` of rung `{self.name}` must not be negative",
        )
        positive = {
            "move_us": self.move_us,
            "threads": self.threads,
            "frequency_khz": self.frequency_khz,
            "one_thread_ppm": self.one_thread_ppm,
        }
        for name, number in positive.items():
            _require(number is None or number > 0, f"`{name}` must be absent or at least 1")
        _require(self.core_type != "", "`core_type` must be absent or not empty")


@dataclass(frozen=True)
class Admission:
    """Rule for when a waiting request starts: at once, after a delay, or when another exits.

    delay_us: the delay [us].
    """

    kind: AdmissionKind
    delay_us: int = 0

    def __post_init__(self) -> None:
        delayed = self.kind is AdmissionKind.DELAY
        _require(
            self.delay_us > 0 if delayed else self.delay_us == 0,
            "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
        )

    @classmethod
    def after_delay(cls, delay_us: int) -> Admission:
        """Make the admission of a waiting request after a delay, or at once if the delay is 0."""
        return cls(AdmissionKind.DELAY, delay_us) if delay_us else AT_ONCE


AT_ONCE = Admission(AdmissionKind.AT_ONCE)
ON_EXIT = Admission(AdmissionKind.ON_EXIT)


@dataclass(frozen=True)
class Climb:
    """A climb: from age `age_us` a request runs on rung number `rung`, counted from 0."""

    age_us: int
    rung: int


@dataclass(frozen=True)
class Row:
    """A row of a ladder: how requests start and climb at loads from `first_load` to `last_load`.

    last_load: None: no end. admission: when a waiting request starts. climbs: age at which a
    request moves to each rung.
    """

    first_load: int
    last_load: int | None
    admission: Admission
    climbs: tuple[Climb, ...]

    def __post_init__(self) -> None:
        _require(self.first_load >= 0, "`first_load` of a row must not be negative")
        last = self.last_load
        _require(
            last is None or last >= self.first_load,
            "`last_load` of a row must be at least its `first_load`",
        )
        _require(bool(self.climbs), "`climbs` of a row must not be empty")
        _require(self.climbs[0].age_us == 0, "`age_us` of the first climb of a row must be 0")
        _ascending(
            [climb.age_us for climb in self.climbs], "`age_us` must increase from climb to climb"
        )
        _ascending(
            [climb.rung for climb in self.climbs], "`rung` must increase from climb to climb"
        )


@dataclass(frozen=True)
class Boost:
    """The rule that boosts requests on the last rung while the boosted cost is below a limit.

    A boosted request always has all of its threads; the other requests share the rest. A request is
    boosted if boosted total + its rung's cost < `below_ppm`, both in cost unit `unit`. The cost is
    returned at exit.

    Source: Haque et al., ASPLOS 2015, section 4.2.
    """

    unit: int
    below_ppm: int

    def __post_init__(self) -> None:
        _require(
            self.unit >= 0 and self.below_ppm > 0,
            "`unit` of a boost must not be negative, and `below_ppm` must be at least 1",
        )


@dataclass(frozen=True)
class Power:
    """The cost unit that is power, and the power of a free core of each cost unit.

    `idle_ppm`: by cost unit, for one whole core; 0 if a unit does not count cores.
    """

    unit: int
    idle_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(
            0 <= self.unit < len(self.idle_ppm),
            "`power.unit` must be the number of a cost unit, counted from 0",
        )
        _require(all(idle >= 0 for idle in self.idle_ppm), "`idle_ppm` must not be negative")


@dataclass(frozen=True)
class Guard:
    """The loads for which a table was compiled, and what a runtime does at other loads."""

    min_load: int
    max_load: int
    outside: Outside = Outside.CLAMP

    def __post_init__(self) -> None:
        _require(
            0 <= self.min_load <= self.max_load, "`guard` must have 0 <= `min_load` <= `max_load`"
        )


@dataclass(frozen=True)
class Ladder:
    """A table from which a runtime looks up the rung of a request by load and age.

    load_axis: the load by which rows are chosen. request_class: class of requests that use the
    ladder; None: all. cost_units: resources that rungs use. rungs: ways to run a request, from the
    first on. rules: what a runtime does beyond the look-up. quantum_us: step at which a running
    request looks up again. rows: by load. guard: the loads for which the table was compiled. The
    other parts belong to rules of the same name.
    """

    # The other optional parts belong to the released formats: each belongs to its own rule, and
    # is absent from the bytes of a table without that rule.
    load_axis: LoadAxis
    request_class: str | None
    cost_units: tuple[CostUnit, ...]
    rungs: tuple[Rung, ...]
    rules: tuple[Rule, ...]
    quantum_us: int
    rows: tuple[Row, ...]
    guard: Guard
    boost: Boost | None = None
    power: Power | None = field(default=None, metadata={"since": 2})
    overload: Overload | None = field(default=None, metadata={"since": 6})
    sharing: Sharing | None = field(default=None, metadata={"since": 6})

    def __post_init__(self) -> None:
        _require(self.quantum_us > 0, "`quantum_us` must be at least 1")
        self._check_rungs()
        self._check_rows()
        self._check_rules()

    def _check_rungs(self) -> None:
        _require(bool(self.rungs), "`rungs` must not be empty")
        _require(
            all(len(rung.cost_ppm) == len(self.cost_units) for rung in self.rungs),
            "`cost_ppm` of a rung must have an entry for each cost unit",
        )

    def _check_rows(self) -> None:
        _require(bool(self.rows), "`rows` must not be empty")
        _require(self.rows[-1].last_load is None, "the last row must have no `last_load`")
        for row, following in zip(self.rows, self.rows[1:], strict=False):
            _require(
                row.last_load is not None and following.first_load == row.last_load + 1,
                "`first_load` of a row must be 1 above `last_load` of the row before",
            )
        top = max(climb.rung for row in self.rows for climb in row.climbs)
        bottom = min(climb.rung for row in self.rows for climb in row.climbs)
        _require(
            bottom >= 0 and top < len(self.rungs),
            "`rung` of a climb must be the number of a rung, counted from 0",
        )

    def _check_rules(self) -> None:
        names = [rule.value for rule in self.rules]
        _ascending(names, "`rules` must be in ascending order without duplicates")
        both = {Rule.AGE_FROM_ARRIVAL, Rule.BUSY_PERIOD_AGE} <= set(self.rules)
        _require(not both, "rules `age-from-arrival` and `busy-period-age` exclude each other")
        boosts = Rule.BOOST_LAST_RUNG in self.rules
        _require(
            boosts == (self.boost is not None),
            "`boost` must be present with rule `boost-last-rung`, and otherwise absent",
        )
        if self.boost is not None:
            _require(
                self.boost.unit < len(self.cost_units),
                "`boost.unit` must be the number of a cost unit, counted from 0",
            )
        self._check_overload()
        self._check_sharing()
        self._check_cores()

    def _check_overload(self) -> None:
        overload = self.overload
        parts = {
            Rule.SHED: overload and overload.shed_from,
            Rule.CUT_OFF: overload and overload.cut_off_us,
            Rule.DEGRADE: overload and overload.degrade_from,
        }
        for rule, part in parts.items():
            agree = (rule in self.rules) == (part is not None)
            _require(agree, _field_message(rule))
        rules = any(rule in self.rules for rule in parts)
        _require(
            rules == (overload is not None),
            "`overload` must be absent without rule `shed`, `cut-off` or `degrade`",
        )

    def _check_sharing(self) -> None:
        sharing = self.sharing or NO_SHARING
        parts = {Rule.START_BELOW: sharing.start_below_ppm, Rule.GIVE_UP: sharing.give_up_us}
        for rule, part in parts.items():
            agree = (rule in self.rules) == (part is not None)
            _require(agree, _field_message(rule))
        rules = bool(parts.keys() & set(self.rules))
        _require(
            rules == (self.sharing is not None),
            "`sharing` must be absent without rule `start-below` or `give-up`",
        )
        if sharing.start_unit is not None:
            _require(
                sharing.start_unit < len(self.cost_units),
                "`start_unit` must be the number of a cost unit, counted from 0",
            )
            at_once = all(row.admission == AT_ONCE for row in self.rows)
            _require(at_once, "`admission` of every row must be `at-once` with rule `start-below`")

    def _check_cores(self) -> None:
        """Check rungs that are whole cores: one core of one limited unit each, and a power."""
        if Rule.CORE_PER_REQUEST not in self.rules:
            _require(
                Rule.MAKE_ROOM not in self.rules, "rule `make-room` needs rule `core-per-request`"
            )
            _require(
                not self._takes_over,
                "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`",
            )
            _require(self.power is None, "`power` must be absent without rule `core-per-request`")
            moves = any(rung.move_us is not None for rung in self.rungs)
            _require(not moves, "`move_us` must be absent without rule `core-per-request`")
            return
        _require(self.power is not None, "`power` must be present with rule `core-per-request`")
        assert self.power is not None
        _require(
            len(self.power.idle_ppm) == len(self.cost_units),
            "`idle_ppm` must have an entry for each cost unit",
        )
        _require(
            self.boost is None, "rules `boost-last-rung` and `core-per-request` exclude each other"
        )
        _require(self.sharing is None, "`sharing` must be absent with rule `core-per-request`")
        limited = [unit.capacity_ppm is not None for unit in self.cost_units]
        _require(
            not limited[self.power.unit], "`power.unit` must be a cost unit without `capacity_ppm`"
        )
        for rung in self.rungs:
            taken = [c for c, is_core in zip(rung.cost_ppm, limited, strict=True) if is_core and c]
            _require(
                taken == [PPM],
                f"`cost_ppm` of rung `{rung.name}` must be 1,000,000 for one type of core, else 0",
            )
        for unit in self.cost_units:
            whole = unit.capacity_ppm is None or unit.capacity_ppm % PPM == 0
            _require(
                whole,
                f"`capacity_ppm` of `{unit.name}` must be a multiple of 1,000,000 (whole cores)",
            )
        idle = zip(self.power.idle_ppm, limited, strict=True)
        _require(
            all(is_core or not draw for draw, is_core in idle),
            "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`",
        )
        self._check_core_rules(limited)

    def _check_core_rules(self, limited: Sequence[bool]) -> None:
        """Check that rules about a request's core are used only if every request keeps its core."""
        units = {
            unit
            for rung in self.rungs
            for unit, is_core in enumerate(limited)
            if is_core and rung.cost_ppm[unit]
        }
        is_one_kind = len(units) == 1
        _require(
            is_one_kind or not self._takes_over,
            "rules `busy-period-age` and `waited-start-last` need rungs on one type of core",
        )

    @property
    def _takes_over(self) -> bool:
        return bool({Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST} & set(self.rules))


# Rules that need no row, each with its field.
_FIELDS = {
    Rule.SHED: "shed_from",
    Rule.CUT_OFF: "cut_off_us",
    Rule.DEGRADE: "degrade_from",
    Rule.START_BELOW: "start_below_ppm",
    Rule.GIVE_UP: "give_up_us",
}


def _field_message(rule: Rule) -> str:
    return f"`{_FIELDS[rule]}` must be present with rule `{rule.value}`, and otherwise absent"


def rules_beyond_rows(ladder: Ladder) -> tuple[Rule, ...]:
    """The ladder's rules about starts, descents and speed, in addition to its rows."""
    return tuple(rule for rule in ladder.rules if rule in _FIELDS)


def collapse(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Merge successive equal rows of a ladder; the last row applies to every larger load."""
    merged: list[Row] = []
    for row in rows:
        last = merged[-1] if merged else None
        if last and (last.admission, last.climbs) == (row.admission, row.climbs):
            merged[-1] = Row(last.first_load, row.last_load, row.admission, row.climbs)
        else:
            merged.append(row)
    if merged:
        end = merged[-1]
        merged[-1] = Row(end.first_load, None, end.admission, end.climbs)
    return tuple(merged)
