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
    """What a row's load counts."""

    IN_SYSTEM = "in_system"
    RATE = "rate_mrps"


class Rule(enum.Enum):
    """What a runtime must do beyond the look-up; a reader refuses unknown rules.

    core-per-request: a running request has a core of its rung's kind to itself; it climbs when one
    is free. make-room: if more requests are in the system than there are cores of a kind and slower
    ones, or if all cores of a kind are busy and another request needs one, the oldest requests on
    that kind climb early, to free cores, one kind at a time; waiting requests may start on the
    freed cores. waited-start-last: a request that has waited starts on the last rung of its row.
    busy-period-age: a request that has waited starts at the age of the request that left its core,
    so that ages of climbs count all the time below the last rung since the core was last free.
    shed, cut-off, degrade: see `Overload`. start-below, give-up: see `Sharing`.
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
    """How a row lets a new request start."""

    AT_ONCE = "at-once"
    DELAY = "delay"
    ON_EXIT = "on-exit"


class Outside(enum.Enum):
    """What a runtime does when the load is outside the guard's range."""

    CLAMP = "clamp"
    FIRST_RUNG = "first-rung"


@dataclass(frozen=True)
class CostUnit:
    """A cost of rungs per ms of running; `capacity_ppm` is the server's supply in millionths."""

    name: str
    capacity_ppm: int | None = None

    def __post_init__(self) -> None:
        _require(bool(self.name), "a cost unit needs a name")
        _require(self.capacity_ppm is None or self.capacity_ppm > 0, "a capacity must be positive")


@dataclass(frozen=True)
class Rung:
    """A way to run a request: work done per ms, and the cost of a ms in each cost unit.

    `move_us`: time without work of a request that climbs here, at this rung's cost; None: none.
    """

    name: str
    speed_ppm: int
    cost_ppm: tuple[int, ...]
    move_us: int | None = field(default=None, metadata={"since": 2})

    def __post_init__(self) -> None:
        _require(bool(self.name), "a rung needs a name")
        _require(self.speed_ppm > 0, f"rung `{self.name}` has no positive speed")
        _require(all(cost >= 0 for cost in self.cost_ppm), f"rung `{self.name}` costs less than 0")
        _require(self.move_us is None or self.move_us > 0, "only a move that takes time states it")


@dataclass(frozen=True)
class Admission:
    """Start at once, `delay_us` after arrival, or when another request exits."""

    kind: AdmissionKind
    delay_us: int = 0

    def __post_init__(self) -> None:
        delayed = self.kind is AdmissionKind.DELAY
        _require(self.delay_us > 0 if delayed else self.delay_us == 0, "only a delay has a length")

    @classmethod
    def after_delay(cls, delay_us: int) -> Admission:
        """Start at once for a delay of 0, else after the delay."""
        return cls(AdmissionKind.DELAY, delay_us) if delay_us else AT_ONCE


AT_ONCE = Admission(AdmissionKind.AT_ONCE)
ON_EXIT = Admission(AdmissionKind.ON_EXIT)


@dataclass(frozen=True)
class Climb:
    """From age `age_us` a request runs on rung number `rung` (counted from 0)."""

    age_us: int
    rung: int


@dataclass(frozen=True)
class Row:
    """Admission and climbs of loads from `first_load` to `last_load` (None: without end)."""

    first_load: int
    last_load: int | None
    admission: Admission
    climbs: tuple[Climb, ...]

    def __post_init__(self) -> None:
        _require(self.first_load >= 0, "a load cannot be negative")
        last = self.last_load
        _require(last is None or last >= self.first_load, "a row's loads must ascend")
        _require(bool(self.climbs), "a row needs a rung to start on")
        _require(self.climbs[0].age_us == 0, "a row's first rung must begin at age 0")
        _ascending([climb.age_us for climb in self.climbs], "a row's ages must ascend")
        _ascending([climb.rung for climb in self.climbs], "a row's rungs must ascend")


@dataclass(frozen=True)
class Boost:
    """A request raised to the last rung is boosted if the boosted cost stays below a limit.

    Strictly: boosted total + the rung's cost < `below_ppm`, both in cost unit `unit`. Boosted
    requests never wait for others; the cost is returned at exit (Haque et al., ASPLOS 2015, section
    4.2).
    """

    unit: int
    below_ppm: int

    def __post_init__(self) -> None:
        _require(self.unit >= 0 and self.below_ppm > 0, "a boost needs a unit and a limit")


@dataclass(frozen=True)
class Power:
    """The cost unit that is power, and the power of a free core of each cost unit.

    `idle_ppm`: by cost unit, for one whole core; 0 if a unit does not count cores.
    """

    unit: int
    idle_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(0 <= self.unit < len(self.idle_ppm), "power names no cost unit")
        _require(all(idle >= 0 for idle in self.idle_ppm), "a free core draws less than nothing")


@dataclass(frozen=True)
class Guard:
    """Loads that the table was compiled for, and the behaviour outside them."""

    min_load: int
    max_load: int
    outside: Outside = Outside.CLAMP

    def __post_init__(self) -> None:
        _require(0 <= self.min_load <= self.max_load, "a guard's range must ascend")


@dataclass(frozen=True)
class Ladder:
    """Rungs and rows for one class of requests (`request_class` None: for all)."""

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
        _require(self.quantum_us > 0, "the quantum must be positive")
        self._check_rungs()
        self._check_rows()
        self._check_rules()

    def _check_rungs(self) -> None:
        _require(bool(self.rungs), "a ladder needs a rung")
        _require(
            all(len(rung.cost_ppm) == len(self.cost_units) for rung in self.rungs),
            "every rung must state a cost in every cost unit",
        )

    def _check_rows(self) -> None:
        _require(bool(self.rows), "a ladder needs a row")
        _require(self.rows[-1].last_load is None, "the last row must hold for every larger load")
        for row, following in zip(self.rows, self.rows[1:], strict=False):
            _require(
                row.last_load is not None and following.first_load == row.last_load + 1,
                "rows must follow each other without gap or overlap",
            )
        top = max(climb.rung for row in self.rows for climb in row.climbs)
        bottom = min(climb.rung for row in self.rows for climb in row.climbs)
        _require(bottom >= 0 and top < len(self.rungs), "a row climbs to a rung that is not there")

    def _check_rules(self) -> None:
        names = [rule.value for rule in self.rules]
        _ascending(names, "rules must be sorted and stand once")
        both = {Rule.AGE_FROM_ARRIVAL, Rule.BUSY_PERIOD_AGE} <= set(self.rules)
        _require(not both, "ages count from arrival, or over the busy period of a core")
        boosts = Rule.BOOST_LAST_RUNG in self.rules
        _require(boosts == (self.boost is not None), "the boost rule and its limit go together")
        if self.boost is not None:
            _require(self.boost.unit < len(self.cost_units), "the boost names no cost unit")
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
            _require(agree, f"the rule {rule.value} and what it needs go together")
        rules = any(rule in self.rules for rule in parts)
        _require(rules == (overload is not None), "what is said of overload needs a rule")

    def _check_sharing(self) -> None:
        sharing = self.sharing or NO_SHARING
        parts = {Rule.START_BELOW: sharing.start_below_ppm, Rule.GIVE_UP: sharing.give_up_us}
        for rule, part in parts.items():
            agree = (rule in self.rules) == (part is not None)
            _require(agree, f"the rule {rule.value} and what it needs go together")
        rules = bool(parts.keys() & set(self.rules))
        _require(rules == (self.sharing is not None), "what is said of sharing needs a rule")
        if sharing.start_unit is not None:
            _require(sharing.start_unit < len(self.cost_units), "starts count no cost unit")
            at_once = all(row.admission == AT_ONCE for row in self.rows)
            _require(at_once, "where starts go by what is in use, no row makes a request wait")

    def _check_cores(self) -> None:
        """Check rungs that are whole cores: one core of one limited unit each, and a power."""
        if Rule.CORE_PER_REQUEST not in self.rules:
            _require(Rule.MAKE_ROOM not in self.rules, "only requests with a core make room")
            _require(not self._takes_over, "only requests with a core take one over")
            _require(self.power is None, "power is told of rungs that are cores")
            moves = any(rung.move_us is not None for rung in self.rungs)
            _require(not moves, "only a move to another core takes time")
            return
        _require(self.power is not None, "a ladder of cores needs its power")
        assert self.power is not None
        _require(len(self.power.idle_ppm) == len(self.cost_units), "power is told by cost unit")
        _require(self.boost is None, "a request with a core of its own needs no boost")
        _require(self.sharing is None, "a request with a core of its own shares none")
        limited = [unit.capacity_ppm is not None for unit in self.cost_units]
        _require(not limited[self.power.unit], "power is no capacity that requests share")
        for rung in self.rungs:
            taken = [c for c, is_core in zip(rung.cost_ppm, limited, strict=True) if is_core and c]
            _require(taken == [PPM], f"rung `{rung.name}` is not one core of one kind")
        for unit in self.cost_units:
            whole = unit.capacity_ppm is None or unit.capacity_ppm % PPM == 0
            _require(whole, f"`{unit.name}` is not a whole number of cores")
        idle = zip(self.power.idle_ppm, limited, strict=True)
        _require(all(is_core or not draw for draw, is_core in idle), "only free cores draw power")
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
            "rules of taking over a core need cores of one kind",
        )

    @property
    def _takes_over(self) -> bool:
        return bool({Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST} & set(self.rules))


_BESIDE_ROWS = {Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE, Rule.START_BELOW, Rule.GIVE_UP}


def rules_beyond_rows(ladder: Ladder) -> tuple[Rule, ...]:
    """Rules that decide in addition to the rows on start, descent or full service of a request."""
    return tuple(rule for rule in ladder.rules if rule in _BESIDE_ROWS)


def collapse(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Merge runs of equal rows to one range; the last row applies to every larger load."""
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
