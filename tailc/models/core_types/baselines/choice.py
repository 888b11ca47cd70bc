"""Baselines on cores by name, and those that a policy is compared with where none is named."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.forms.controller import Controller
from tailc.forms.ladder.lanes import is_on_lanes
from tailc.models.baselines.search import Search
from tailc.models.core_types.baselines import exhaustive as grid
from tailc.models.core_types.baselines.asked import Asked, Shape, asked
from tailc.models.core_types.baselines.clairvoyant import clairvoyant, with_searched_threshold
from tailc.models.core_types.baselines.ends import least_energy, least_tail
from tailc.models.core_types.baselines.fixed_ages import fixed_ages
from tailc.models.core_types.baselines.oblivious import oblivious
from tailc.models.core_types.baselines.one_gain import one_gain
from tailc.models.core_types.baselines.one_level import one_level
from tailc.models.core_types.baselines.one_type import one_type
from tailc.models.core_types.baselines.reactive import reactive
from tailc.models.smt.baselines.asked import asked as lanes_asked
from tailc.models.smt.baselines.choice import lane_baseline, lane_default_names
from tailc.models.subject import Subject
from tailc.models.workload import Workload


def core_baseline(name: str, policy: Subject, load: Workload, search: Search) -> Subject:
    """The baseline of that name on the cores of the policy.

    Raises TailcError (USAGE) for a name that does not fit.
    """
    if is_on_lanes(policy.ladders[0]):
        return lane_baseline(name, policy, search)
    return _of_core_types(name, policy, load, search)


def _of_core_types(name: str, policy: Subject, load: Workload, search: Search) -> Subject:
    ladder = policy.ladders[0]
    wanted = asked(name, policy)
    match wanted.shape:
        case Shape.TL:
            return least_tail(ladder)
        case Shape.EE:
            return least_energy(ladder)
        case Shape.OBLIVIOUS:
            return oblivious(ladder)
        case Shape.S2F:
            return fixed_ages(policy, wanted.share_ppm)
        case Shape.ONE_GAIN:
            return one_gain(policy)
        case _:
            return _searched(wanted, policy, load, search)


def check_core_name(name: str, policy: Subject) -> None:
    """Raise TailcError (USAGE) for no baseline's name, and for what these cores cannot do."""
    if is_on_lanes(policy.ladders[0]):
        lanes_asked(name)
    else:
        asked(name, policy)


def _searched(wanted: Asked, policy: Subject, load: Workload, search: Search) -> Subject:
    """Those that need the SLO."""
    ladder = policy.ladders[0]
    match wanted.shape:
        case Shape.RC if wanted.time_us is not None:
            return clairvoyant(ladder, wanted.time_us, load)
        case Shape.RC:
            return with_searched_threshold(ladder, load, search)
        case Shape.PEGASUS:
            return one_level(ladder, search)
        case Shape.OCTOPUS:
            return one_type(ladder, search)
        case Shape.REACTIVE:
            return reactive(policy, search, from_start=wanted.from_start)
        case _:
            _check_grid(len(ladder.rungs), search.target_us, wanted.time_us)
            return grid.exhaustive(ladder, search, wanted.time_us)


def _check_grid(rungs: int, target_us: int, step_us: int | None) -> None:
    if step_us is None:
        return
    count = grid.sets(rungs, target_us, step_us)
    if count > grid.MOST_ASKED_SETS:
        message = f"baseline `exhaustive` has {count:,} sets of thresholds, and tries at most "
        message += f"{grid.MOST_ASKED_SETS:,}"
        raise TailcError(Finding(Code.USAGE, message, help="ask for a larger step"))


def core_default_names(policy: Subject) -> tuple[str, ...]:
    """Least tail, least energy, and perfect knowledge; the policy without its controller, and with
    one set of gains where it has several. On lanes of cores: `lane_default_names`.
    """
    if is_on_lanes(policy.ladders[0]):
        return lane_default_names(policy)
    names = ["tl", "ee", "rc"]
    if isinstance(policy.steering, Controller):
        names.append("s2f")
        if len(policy.steering.gains) > 1:
            names.append("one-gain")
    return tuple(names)
