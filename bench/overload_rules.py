"""What each rule for overload costs on the Lucene-like server at 1.2 and 1.5 times its capacity.

    python -m bench.overload_rules

Capacity is the rate at which the work of all requests, each on one thread, keeps every core busy.
The table is that of examples/lucene-fm by the dual method; each rule is searched for one rate and
judged there, and at the largest of its normal rates, on requests kept out of the search. *At best*
is what the cores cannot do, were every request on one thread.
"""

from __future__ import annotations

import sys

from bench.timing import cpu_seconds, end, show
from tailc.errors import TailcError
from tailc.experiment.overload_objective import OverloadObjective
from tailc.forms.ladder.overload import NO_OVERLOAD
from tailc.forms.ladder.table import Rule
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.progress import silent
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.tuning.overload.search import add_overload_rule

SPEC = "examples/lucene-fm/service.yaml"
TIMES = (1.2, 1.5)
WORK_PPM, PPM = 500_000, 1_000_000
RULES = (Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE)


def row(compiled: AnyCompiled, capacity_rps: float, times: float, rule: Rule) -> tuple[str, ...]:
    """A rule at a multiple of the capacity."""
    policy = compiled.policy
    slo, rate_mrps = policy.slos[0], round(times * capacity_rps * 1e3)
    work_ppm = WORK_PPM if rule is Rule.DEGRADE else None
    aim = OverloadObjective(
        slo.percentile_ppm,
        slo.latency_us,
        (rate_mrps,),
        (max(policy.rates_mrps),),
        (rule,),
        work_ppm,
    )
    head = f"{times:g}", f"{rate_mrps / 1e3:.0f}/s", rule.value
    assert isinstance(compiled.design, DemandProfile)
    begun = cpu_seconds()
    try:
        found = add_overload_rule(
            aim, policy.ladders[0], compiled.design, thread_count(None), silent
        )
    except TailcError:
        return (*head, *["none"] * 6, f"{cpu_seconds() - begun:.0f}")
    told, (overload, normal) = found.table.overload or NO_OVERLOAD, found.rates
    number = told.shed_from or told.degrade_from or f"{(told.cut_off_us or 0) / 1e3:.0f} ms"
    low, high = (overload.loss.low_ppm or 0) / 1e4, (overload.loss.high_ppm or 0) / 1e4
    return (
        *head,
        str(number),
        f"{overload.tail_us / 1e3:.0f}",
        f"{(overload.high_us or 0) / 1e3:.0f}",
        f"{overload.loss.work_ppm / 1e4:.1f} % ({low:.1f} .. {high:.1f})",
        f"{100 * (1 - 1 / times):.1f} %",
        f"{normal.loss.work_ppm / 1e4:.1f} %",
        f"{cpu_seconds() - begun:.0f}",
    )


def main() -> None:
    compiled = compile_policy(SPEC, overrides={"method": "dual"})
    design = compiled.design
    assert isinstance(design, DemandProfile)
    mean_s = float((design.demand_ms * design.weight).sum() / design.weight.sum()) / 1e3
    cores = (compiled.policy.ladders[0].cost_units[0].capacity_ppm or 0) / PPM
    rows = []
    for times in TIMES:
        for rule in RULES:
            print(f"{rule.value} at {times:g}", file=sys.stderr, flush=True)
            rows.append(row(compiled, cores / mean_s, times, rule))
    heads = ("times capacity", "rate", "rule", "threshold", "p99", "p99, upper", "work lost")
    show((*heads, "unavoidable", "lost at normal", "CPU s"), rows)
    end()


if __name__ == "__main__":
    main()
