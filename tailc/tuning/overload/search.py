"""Find the overload rule that loses the least work, by replay.

Each rule has one number: the number of requests in the system from which arrivals are refused or
degraded, or the age at which requests are cut off. The larger the number, the smaller the loss and
the longer the tail of served requests. All values are replayed with the same requests at the same
times. So the largest value that meets the objective is found by doubling and bisection, on a part
of the demands. On the rest, with other random numbers, the whole 95 % interval of the tail must
meet the objective. If it does not, the number is reduced in proportion to the excess of the tail.

Of the rules that meet the objective, the one is used that loses the least work on average over all
stated rates, including normal ones. Work is the measure because all three rules reduce it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.overload_objective import OverloadObjective
from tailc.experiment.sizes import Seed
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.workload import workload
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile
from tailc.tuning.overload.losses import JUDGED_REPLICATES, RateLoss, RateLosses, rate_losses
from tailc.tuning.sample_split import split_sample
from tailc.units import format_mrps, format_ppm, format_us

# Cut-offs are searched in steps of so small a part of the objective.
_STEPS_OF_TARGET = 50
_MOST_IN_SYSTEM = 4_096
_MOST_STEPS = 1_000
# Seldom more than twice.
_MOST_JUDGED = 8


@dataclass(frozen=True)
class Relief:
    """A table with the overload rule that loses least work.

    Attributes:
        aim: the SLO of served requests, and the rates.
        table: the table with the rule.
        rule: the rule; None if none is needed.
        rates: tail and loss at the rates of overload, then at normal rates.
        others: other allowed rules with their mean loss over all rates, in millionths of the work,
            on the requests of the search; None: the rule misses the objective.
        judged_on: number of records that `rates` were computed from.
    """

    aim: OverloadObjective
    table: Ladder
    rule: Rule | None
    rates: tuple[RateLoss, ...]
    others: tuple[tuple[Rule, int | None], ...]
    judged_on: int


def add_overload_rule(
    aim: OverloadObjective, table: Ladder, design: DemandProfile, threads: int, progress: Progress
) -> Relief:
    """Add the best overload rule to the table; TailcError (INFEASIBLE) if none is enough."""
    parts = split_sample(workload(design, table))
    progress("looking for a rule for overload", 0.0)
    with ThreadPoolExecutor(threads) as workers:
        last = rate_losses(
            parts.judging,
            aim,
            table,
            Seed.OVERLOAD_VALIDATION,
            workers,
            replicates=JUDGED_REPLICATES,
        )
        judged_on = len(parts.judging.work_ns)
        rates = last.losses_of(table)
        if _all_meet(rates, aim):
            return Relief(aim, table, None, rates, (), judged_on)
        search = rate_losses(parts.tuning, aim, table, Seed.OVERLOAD_SEARCH, workers)
        found = {rule: _largest_of(rule, aim, table, search) for rule in aim.allowed}
        lost = {
            rule: round(search.lost_ppm(_with_rule(rule, value, aim, table))) if value else None
            for rule, value in found.items()
        }
        in_time = sorted((ppm, rule.value, rule) for rule, ppm in lost.items() if ppm is not None)
        for _, _, rule in in_time:
            progress("judging the rule for overload", 0.5)
            for chosen, judged in _stricter_tables(rule, found[rule], aim, table, last):
                if _all_meet(judged, aim):
                    others = tuple((one, lost[one]) for one in aim.allowed if one is not rule)
                    return Relief(aim, chosen, rule, judged, others, judged_on)
    if in_time:
        raise _unsure(aim, [rule for *_, rule in in_time], judged_on)
    raise _no_rule(aim)


def largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which `holds` is true; 0 if there is none.

    `holds` must be true up to some number and false above it.
    """
    if not holds(1):
        return 0
    low, high = 1, 2
    while high <= most and holds(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _largest_of(rule: Rule, aim: OverloadObjective, table: Ladder, losses: RateLosses) -> int:
    most = _MOST_STEPS if rule is Rule.CUT_OFF else _MOST_IN_SYSTEM
    return largest(lambda value: losses.meets(_with_rule(rule, value, aim, table)), most)


def _stricter_tables(
    rule: Rule, value: int, aim: OverloadObjective, table: Ladder, losses: RateLosses
) -> Iterator[tuple[Ladder, tuple[RateLoss, ...]]]:
    """The table with the rule, then with a stricter one each time."""
    for _ in range(_MOST_JUDGED):
        if value < 1:
            return
        chosen = _with_rule(rule, value, aim, table)
        judged = losses.losses_of(chosen)
        yield chosen, judged
        highs = [one.high_us or one.tail_us for one in judged[: len(aim.rates_mrps)]]
        in_proportion = value * aim.latency_us // max(*highs, 1)
        # Where the server does not keep up, the tail says nothing of how far to go.
        value = min(value - 1, max(in_proportion, value // 2))


def _with_rule(rule: Rule, value: int, aim: OverloadObjective, table: Ladder) -> Ladder:
    """The table with the rule at the `value`-th of its numbers, counted from 1."""
    match rule:
        case Rule.SHED:
            limits = Overload(shed_from=value)
        case Rule.CUT_OFF:
            limits = Overload(cut_off_us=max(value * aim.latency_us // _STEPS_OF_TARGET, 1))
        case _:
            limits = Overload(degrade_from=value - 1, work_ppm=aim.work_ppm)
    rules = sorted((*table.rules, rule), key=lambda one: one.value)
    return replace(table, rules=tuple(rules), overload=limits)


def _all_meet(rates: tuple[RateLoss, ...], aim: OverloadObjective) -> bool:
    return all(one.meets for one in rates[: len(aim.rates_mrps)])


def _no_rule(aim: OverloadObjective) -> TailcError:
    message = f"none of the rules {_list_rules(aim.allowed)} meets {_promise(aim)}"
    more = [f"`{one.value}`" for one in (Rule.SHED, Rule.CUT_OFF) if one not in aim.allowed]
    ways = [f"allow {' or '.join(more)}"] if more else []
    ways += ["lower `degrade.work`"] if Rule.DEGRADE in aim.allowed else []
    hint = ", ".join([*ways, "give a longer latency, or lower rates"])
    return _infeasible(message, hint)


def _unsure(aim: OverloadObjective, rules: Sequence[Rule], records: int) -> TailcError:
    """That rules are in time by their estimates, but not with the whole interval."""
    message = f"{_list_rules(rules)} would meet {_promise(aim)} by the estimate, but of "
    message += f"{records:,} requests too few are served to confirm it with 95 % confidence"
    return _infeasible(message, "give lower rates, a longer latency, or a longer trace")


def _list_rules(rules: Sequence[Rule]) -> str:
    return ", ".join(f"`{rule.value}`" for rule in rules)


def _promise(aim: OverloadObjective) -> str:
    rates = ", ".join(map(format_mrps, aim.rates_mrps))
    return f"{format_ppm(aim.percentile_ppm)} within {format_us(aim.latency_us)} at {rates}"


def _infeasible(message: str, hint: str) -> TailcError:
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=("overload", "allow")))
