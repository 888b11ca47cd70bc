"""Baselines by name, and those that a policy is compared with where none is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.forms.ladder.table import Guard, Ladder, Outside, Rule
from tailc.models.baselines.search import Search
from tailc.models.core_queues.baselines.choice import asked as frequency_asked
from tailc.models.core_queues.baselines.choice import frequency_baseline, frequency_default_names
from tailc.models.core_types.baselines.choice import (
    check_core_name,
    core_baseline,
    core_default_names,
)
from tailc.models.shared_cores.baselines.adaptive import adaptive
from tailc.models.shared_cores.baselines.asked import Asked, Shape, asked
from tailc.models.shared_cores.baselines.clairvoyant import clairvoyant, with_searched_threshold
from tailc.models.shared_cores.baselines.fixed import fixed, usual_limit
from tailc.models.shared_cores.baselines.fixed_interval import fixed_interval, usual_intervals_us
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.models.shared_cores.baselines.unboosted import unboosted
from tailc.models.subject import Subject, is_on_cores
from tailc.models.workload import Workload
from tailc.units import format_us

# Up to so many rungs, each has its FIX-N among the default baselines.
_FEW_RUNGS = 4


def baseline(name: str, policy: Subject, load: Workload, search: Search) -> Subject:
    """The baseline of that name on the server of the policy's first ladder.

    Only those with something to choose ask `search`. Raises TailcError (USAGE) for a name that does
    not fit.
    """
    if policy.clocks is not None:
        return frequency_baseline(name, policy, search)
    if is_on_cores(policy):
        return core_baseline(name, policy, load, search)
    return _thread_baseline(name, policy, load, search)


def _thread_baseline(name: str, policy: Subject, load: Workload, search: Search) -> Subject:
    ladder = policy.ladders[0]
    wanted = asked(name, ladder)
    if wanted.shape is Shape.NO_BOOST:
        return unboosted(policy)
    if wanted.shape is Shape.RC:
        if wanted.time_us is None:
            return with_searched_threshold(ladder, wanted.rung, load, search.tail_us)
        return clairvoyant(ladder, wanted.rung, wanted.time_us, load)
    return Subject(wanted.title, (_ladder(wanted, ladder),), boosts_at_start=wanted.boosts)


# The name that stands for the first of the defaults.
FIRST = "first"


def chosen_names(names: Sequence[str] | None, policy: Subject, load: Workload) -> tuple[str, ...]:
    """The names, `first` made the name that it stands for; None: all defaults."""
    if names is None:
        return default_names(policy, load)
    if FIRST not in names:
        return tuple(names)
    first = default_names(policy, load)[0]
    return tuple(dict.fromkeys(first if name == FIRST else name for name in names))


def check_name(name: str, policy: Subject) -> None:
    """Raise TailcError (USAGE) for no baseline's name, and for what this server cannot do."""
    if policy.clocks is not None:
        frequency_asked(name, policy)
    elif is_on_cores(policy):
        check_core_name(name, policy)
    else:
        asked(name, policy.ladders[0])


def _ladder(wanted: Asked, ladder: Ladder) -> Ladder:
    match wanted.shape:
        case Shape.FIX:
            return fixed(ladder, wanted.rung, below=wanted.below, boosts=wanted.boosts)
        case Shape.EVERY:
            assert wanted.time_us is not None
            return fixed_interval(ladder, wanted.time_us)
        case Shape.ADAPTIVE:
            return adaptive(ladder)
        case _:
            return sequential(ladder)


def default_names(policy: Subject, load: Workload) -> tuple[str, ...]:
    """The baselines that say something about this policy, by name.

    SEQ; FIX-N; the last rung below a usual limit; three intervals that suit the demand; Adaptive;
    RC; the policy without boosting. But for SEQ, what does the same as the policy, or as one
    before, is left out. On whole cores: `core_default_names`; with clocks:
    `frequency_default_names`.
    """
    if policy.clocks is not None:
        return frequency_default_names(policy)
    if is_on_cores(policy):
        return core_default_names(policy)
    ladder = policy.ladders[0]
    seen = [_essence(policy.ladders), _essence((sequential(ladder),))]
    names: list[str] = []
    for name in _candidates(ladder, load):
        wanted = asked(name, ladder)
        if wanted.shape in (Shape.SEQ, Shape.RC, Shape.NO_BOOST):
            names.append(name)
            continue
        essence = _essence((_ladder(wanted, ladder),))
        if essence not in seen:
            seen.append(essence)
            names.append(name)
    return tuple(names)


def _candidates(ladder: Ladder, load: Workload) -> Iterator[str]:
    yield "seq"
    last = len(ladder.rungs)
    if last > 1:
        fixed_at = range(2, last + 1) if last <= _FEW_RUNGS else (2, last)
        yield from (f"fix-{number}" for number in fixed_at)
        if (limit := usual_limit(ladder)) is not None:
            yield f"fix-{last}<{limit}"
        for interval_us in usual_intervals_us(ladder, load):
            yield f"every-{format_us(interval_us).replace(' ', '')}"
        yield "adaptive"
        yield f"rc-{last}"
    if ladder.boost is not None:
        yield "no-boost"


def _essence(ladders: tuple[Ladder, ...]) -> object:
    """What a replay sees of ladders on one server: equal ones act alike."""
    return tuple(
        (ladder.rows, ladder.boost, _telling_rules(ladder), _telling_guard(ladder))
        for ladder in ladders
    )


def _telling_rules(ladder: Ladder) -> tuple[Rule, ...]:
    """One row is always the same, however often it is read."""
    of_several_rows = (Rule.REREAD_ROW, Rule.NEVER_DESCEND) if len(ladder.rows) == 1 else ()
    return tuple(rule for rule in ladder.rules if rule not in of_several_rows)


def _telling_guard(ladder: Ladder) -> Guard | None:
    return ladder.guard if ladder.guard.outside is Outside.FIRST_RUNG else None
