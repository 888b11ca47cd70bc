"""Fixed interval: climb by one rung after each interval D (Haque et al., ASPLOS 2015, figure 4)."""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, Row
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.alike import behave_alike
from tailc.models.shared_cores.hand_settings import usual_intervals_us
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import boosting, no_boost, same_server
from tailc.models.workload import Workload
from tailc.units import format_us


@final
class FixedInterval(Baseline[SharedCores]):
    """Baseline: climb one rung after each interval; boosted if the last rung is shared."""

    syntax = Syntax("every-TIME[+boost]")
    about = "starts on the first rung and climbs one every TIME, up to the last"
    rank = 30

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        return ("every-100ms", "every-100ms+boost")

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        last = len(policy.ladder.rungs) - 1
        return no_boost(policy.ladder, last) if values.has_flag else None

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        ladder = policy.ladder
        found = usual_intervals_us(ladder, workload) if len(ladder.rungs) > 1 else ()
        return tuple(
            f"every-{format_us(interval_us).replace(' ', '')}"
            for interval_us in found
            if not behave_alike((fixed_interval(ladder, interval_us),), policy.ladders)
        )

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        values, ladder = setup.values, setup.policy.ladder
        name = f"every {format_us(values[Placeholder.TIME])}" + " + boost" * values.has_flag
        found = fixed_interval(ladder, values[Placeholder.TIME], boosts=values.has_flag)
        return SharedCores(name, (found,))


def fixed_interval(ladder: Ladder, interval_us: int, *, boosts: bool = False) -> Ladder:
    """Make a ladder that climbs one rung every `interval_us` at any load."""
    climbs = tuple(Climb(rung * interval_us, rung) for rung in range(len(ladder.rungs)))
    boost = boosting(ladder, len(ladder.rungs) - 1) if boosts else None
    return same_server(ladder, (Row(0, None, AT_ONCE, climbs),), boost=boost)
