"""FIX-N: run every request on one rung, or only while few requests are in the system.

FIX-2 and FIX-4 are in section 6 of Haque et al., ASPLOS 2015. Bing ran FIX-3 below 30 requests on
12 cores in production (section 6.3).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.alike import behave_alike
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import (
    boosting,
    capacity_of,
    no_boost,
    no_such_rung,
    same_server,
    stays_on,
)
from tailc.models.workload import Workload
from tailc.percentiles import PPM

# Bing: 30 requests on 12 cores.
REQUESTS_PER_CORE = Fraction(30, 12)
# Up to this many rungs, each has its FIX-N among the defaults.
_FEW_RUNGS = 4
# Number of rungs whose names an error message lists.
_LISTED_RUNGS = 8


@final
class FixedDegree(Baseline[SharedCores]):
    """Baseline: all requests on one rung, or only those that start below a load.

    With a load, requests that find more in the system stay on the first rung. Requests can be
    boosted.
    """

    syntax = Syntax("fix-N[<LOAD][+boost]")
    about = "every request on rung N; with a limit only while fewer than LOAD are in the system"
    rank = 20

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        last = len(policy.ladder.rungs)
        rungs = range(2, min(last, _LISTED_RUNGS) + 1)
        return (*(f"fix-{rung}" for rung in rungs), f"fix-{last}<30", f"fix-{last}+boost")

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        rung = values[Placeholder.NUMBER] - 1
        if refusal := no_such_rung(policy.ladder, rung):
            return refusal
        return no_boost(policy.ladder, rung) if values.has_flag else None

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        found = usual_fixed(policy.ladder)
        return tuple(n for n, one in found.items() if not behave_alike((one,), policy.ladders))

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        values, rung = setup.values, setup.values[Placeholder.NUMBER] - 1
        below, boosts = values.get(Placeholder.LOAD), values.has_flag
        limit = "" if below is None else f" below {below}"
        name = f"FIX-{rung + 1}{limit}" + " + boost" * boosts
        ladder = fixed_rung(setup.policy.ladder, rung, below=below, boosts=boosts)
        return SharedCores(name, (ladder,), boosts_at_start=boosts)


def fixed_rung(
    ladder: Ladder, rung: int, *, below: int | None = None, boosts: bool = False
) -> Ladder:
    """Run every request on `rung`; with `below`, only requests that find fewer in the system.

    A request counts itself. The others start on the first rung, and all keep their rung. With
    `boosts` the ladder ends at `rung`, because only the last rung is boosted.
    """
    rows = (stays_on(rung),)
    if below is not None:
        rows = (stays_on(rung, 0, below - 1), stays_on(0, below))
    if not boosts:
        return same_server(ladder, rows)
    ending_there = replace(
        ladder, rungs=ladder.rungs[: rung + 1], rows=(stays_on(0),), boost=None, rules=()
    )
    return same_server(ending_there, rows, boost=boosting(ladder, rung))


def usual_fixed(ladder: Ladder) -> dict[str, Ladder]:
    """Default baselines that keep each request on one rung, by name.

    They are all rungs from the second on (of many rungs the second and the last), and the last rung
    below a load limit.
    """
    last = len(ladder.rungs)
    numbers = range(2, last + 1) if last <= _FEW_RUNGS else (2, last)
    found = {f"fix-{number}": fixed_rung(ladder, number - 1) for number in numbers}
    limit = usual_limit(ladder)
    if last > 1 and limit is not None:
        found[f"fix-{last}<{limit}"] = fixed_rung(ladder, last - 1, below=limit)
    return found


def usual_limit(ladder: Ladder) -> int | None:
    """The usual load limit: 2.5 requests per core, as at Bing; None without a stated capacity."""
    limited = capacity_of(ladder)
    if limited is None:
        return None
    return max(round(REQUESTS_PER_CORE * Fraction(limited[1], PPM)), 2)
