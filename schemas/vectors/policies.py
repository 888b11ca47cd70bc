"""The policies behind the look-up vectors: small, and together they use the whole format."""

from __future__ import annotations

from dataclasses import replace

from batteries import battery_plan, extreme_battery_plan, racks_battery_plan
from cores import (
    coarse_controller,
    controller,
    core_ladder,
    extreme_controller,
    late_ladder,
    short_core_ladder,
)
from plans import cluster_plan, extreme_plan, racks_plan, slow_plan, smallest_plan
from tails import (
    batched_table,
    extreme_table,
    extreme_trim,
    lanes_ladder,
    observed_shares,
    shares,
    smallest_table,
    tail_table,
    trim,
)

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.forms.controller import Controller
from tailc.forms.ladder.solution import RowEvidence
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Outside,
    Row,
    Rule,
    Rung,
)
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.specs.slo import Slo
from tailc.traces.profile import NS_PER_MS, Measure
from tailc.traces.reading import Curve, Reading, SplitBy, SplitRule, TimeUnit, Timings
from tailc.traces.summary import GRID_PPM, DemandSummary

Form = Ladder | Controller | TailTable | Shares | Plan

PPM = 1_000_000
MS = 1_000

# Haque et al., ASPLOS 2015, Table 2: requests in the system, then t_0 to t_3 in ms from arrival
# with the degree each begins. The row for 25 and more starts on an exit; its climbs are those of
# row 24, whose t_0 is 90 ms.
LUCENE = (
    (0, ((0, 4),)),
    (7, ((0, 3), (75, 4))),
    (8, ((0, 2), (25, 3), (150, 4))),
    (9, ((0, 2), (50, 3), (150, 4))),
    (10, ((0, 1), (25, 2), (100, 3), (175, 4))),
    (11, ((0, 1), (25, 2), (125, 3), (175, 4))),
    (12, ((0, 1), (75, 2), (150, 3), (200, 4))),
    (13, ((0, 1), (100, 2), (175, 3), (225, 4))),
    (14, ((10, 1), (110, 2), (210, 3), (235, 4))),
    (15, ((30, 1), (130, 2), (205, 3), (255, 4))),
    (16, ((40, 1), (140, 2), (240, 3), (265, 4))),
    (17, ((60, 1), (160, 2), (245, 3), (285, 4))),
    (18, ((60, 1), (185, 2), (260, 3), (310, 4))),
    (19, ((70, 1), (195, 2), (270, 3), (320, 4))),
    (20, ((70, 1), (220, 2), (295, 3), (370, 4))),
    (21, ((80, 1), (255, 2), (305, 3), (375, 4))),
    (22, ((80, 1), (280, 2), (330, 3), (380, 4))),
    (23, ((90, 1), (290, 2), (365, 3), (415, 4))),
    (24, ((90, 1), (315, 2), (390, 3), (440, 4))),
)
LUCENE_FIRST_ON_EXIT = 25


def named_policies() -> dict[str, tuple[str, Policy]]:
    """Name, sentence and policy of every vector."""
    return {
        "lucene": (
            "The published interval table of Haque et al., ASPLOS 2015, Table 2: in_system, all "
            "three admissions, rules boost-last-rung, never-descend and reread-row, boosting.",
            policy("lucene", lucene_ladder(), reading=_curve_reading()),
        ),
        "rate": (
            "Load is an arrival rate (rate_mrps); rows far apart, the first not at 0; the guard "
            "clamps; no rules.",
            policy("rate", _rate_ladder()),
        ),
        "classes": (
            "A ladder of its own for class `short`, and one for all other requests; guards that "
            "fall back to the first rung above, and on both sides of, their range.",
            policy("classes", _all_ladder(), _short_ladder(), reading=_class_reading()),
        ),
        "arrival": (
            "Rule age-from-arrival: waiting counts towards the climbs, with a delay and on-exit.",
            policy("arrival", _arrival_ladder(), reading=_timings_reading()),
        ),
        "smallest": (
            "One rung, one row, no cost unit, no rule: every answer is to start now on rung 0.",
            policy("smallest", _smallest_ladder()),
        ),
        "largest": (
            "Numbers up to 2^53 - 1, the largest that an artifact may hold, as ages, delays and "
            "loads.",
            policy("largest", _largest_ladder()),
        ),
        "demand": (
            "Schema 1.1: as `smallest`, but the design input carries a summary of its demands, "
            "which no look-up needs.",
            _with_demand(policy("demand", _smallest_ladder())),
        ),
        "cores": (
            "Schema 1.2: rungs are cores of three kinds (rules core-per-request and make-room), "
            "with their power and the times of moves; no controller.",
            policy("cores", core_ladder()),
        ),
        "controller": (
            "Schema 1.2: a controller scales the ages of climbs of two ladders by its output.",
            policy("controller", core_ladder(), short_core_ladder(), controller()),
        ),
        "extremes": (
            "Schema 1.2: a controller with every number at a limit, and climbs at 2^43 us.",
            policy("extremes", late_ladder(), extreme_controller()),
        ),
        "coarse": (
            "Schema 1.2: a controller with 21 fraction bits.",
            policy("coarse", core_ladder(), coarse_controller()),
        ),
        "lanes": (
            "Schema 1.3: rules busy-period-age and waited-start-last, which no look-up needs; one "
            "row has no climb but the first.",
            policy("lanes", lanes_ladder(), reading=_cycles_reading()),
        ),
        "tails": (
            "Schema 1.3: a tail table of fourteen frequencies, rows of cycles and of memory time.",
            policy("tails", tail_table(), reading=_cycles_reading()),
        ),
        "tails-batch": (
            "Schema 1.3: a tail table that leaves room for batch work, at 1.6 GHz at least.",
            policy("tails-batch", batched_table()),
        ),
        "tails-trim": (
            "Schema 1.3: a controller scales the bound of a tail table by its output.",
            policy("tails-trim", tail_table(), trim()),
        ),
        "tails-extremes": (
            "Schema 1.3: a tail table with every number at a limit, its bound scaled up to twice.",
            policy("tails-extremes", extreme_table(), extreme_trim()),
        ),
        "tails-smallest": (
            "Schema 1.3: one frequency, one row, one position: every answer is the first level.",
            policy("tails-smallest", smallest_table()),
        ),
        "shares": (
            "Schema 1.3: shares of a host for two machines with targets and one without.",
            policy("shares", shares(), reading=_throughput_reading()),
        ),
        "shares-observer": (
            "Schema 1.3: shares by the other law, for one machine, every setting at a limit.",
            policy("shares-observer", observed_shares(), reading=_throughput_reading()),
        ),
        "plan": (
            "Schema 1.4: a plan for racks on two buses, rigid jobs, prices for jobs to come.",
            _with_supply(policy("plan", racks_plan(), reading=_job_reading())),
        ),
        "plan-cluster": (
            "Schema 1.4: a plan for two pools on one bus, jobs that grow and shrink.",
            policy("plan-cluster", cluster_plan(), reading=_job_reading(PPM, 1_900_000)),
        ),
        "plan-smallest": (
            "Schema 1.4: a plan for one server and one epoch.",
            policy("plan-smallest", smallest_plan(), reading=_job_reading()),
        ),
        "plan-extremes": (
            "Schema 1.4: a plan with every number at a limit, to the end of the year 9999.",
            policy("plan-extremes", extreme_plan(), reading=_job_reading()),
        ),
        "plan-slow": (
            "Schema 1.4: a plan whose jobs may take any time, at the largest cost of delay.",
            policy("plan-slow", slow_plan(), reading=_job_reading()),
        ),
        "plan-battery": (
            "Schema 1.5: a battery with losses beside a cluster on one bus.",
            policy("plan-battery", battery_plan(), reading=_job_reading(PPM, 1_900_000)),
        ),
        "plan-battery-racks": (
            "Schema 1.5: a battery without losses beside racks on two buses, full at first.",
            policy("plan-battery-racks", racks_battery_plan(), reading=_job_reading()),
        ),
        "plan-battery-extremes": (
            "Schema 1.5: a battery with every number at a limit.",
            policy("plan-battery-extremes", extreme_battery_plan(), reading=_job_reading()),
        ),
    }


def policy(name: str, *forms: Form, reading: Reading | None = None) -> Policy:
    """A policy around `forms`; what a runtime ignores is filled with one of everything."""
    return Policy(
        name=name,
        kind="few-to-many",
        generation=1,
        slos=(Slo(990_000, 500 * MS), Slo(999_000, 900 * MS, window_requests=10_000)),
        rates_mrps=(30_000, 40_000),
        forms=forms,
        inputs=(
            Input(InputRole.DESIGN, "5d" * 32, 8_000, 8_000),
            Input(InputRole.HELD_OUT, "e1" * 32, 2_000, 2_000),
        ),
        reading=reading or _curve_reading(),
        evidence=_evidence(),
    )


def _with_demand(policy: Policy) -> Policy:
    """The quantiles are those of an even spread over 1 to 1,000 ms."""
    quantiles_ns = tuple(max(1, ppm // 1_000) * NS_PER_MS for ppm in GRID_PPM)
    design, *others = policy.inputs
    summarised = replace(design, demand=DemandSummary(500_500_000, quantiles_ns))
    return replace(policy, inputs=(summarised, *others))


def _with_supply(policy: Policy) -> Policy:
    """A series of energy went into the compile: two days by the hour."""
    supply = Input(InputRole.SUPPLY, "c4" * 32, 48, 0)
    return replace(policy, inputs=(*policy.inputs, supply))


def lucene_ladder() -> Ladder:
    """The published table; delays from arrival, climb ages from execution start (t_i - t_0)."""
    lasts = [load - 1 for load, _ in LUCENE[1:]] + [LUCENE_FIRST_ON_EXIT - 1]
    rows = [
        Row(load, last, Admission.after(steps[0][0] * MS), _climbs(steps))
        for (load, steps), last in zip(LUCENE, lasts, strict=True)
    ]
    rows.append(Row(LUCENE_FIRST_ON_EXIT, None, ON_EXIT, rows[-1].climbs))
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit("threads", 15 * PPM),),
        rungs=tuple(
            Rung(f"d{degree}", speed_ppm, (degree * PPM,))
            for degree, speed_ppm in enumerate((1_000_000, 1_900_000, 2_650_000, 3_200_000), 1)
        ),
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=5 * MS,
        rows=tuple(rows),
        guard=Guard(0, 24),
        boost=Boost(0, 15 * PPM),
    )


def _climbs(steps: tuple[tuple[int, int], ...]) -> tuple[Climb, ...]:
    begin_ms = steps[0][0]
    return tuple(Climb((age_ms - begin_ms) * MS, degree - 1) for age_ms, degree in steps)


def _rate_ladder() -> Ladder:
    return replace(
        lucene_ladder(),
        load_axis=LoadAxis.RATE,
        cost_units=(CostUnit("threads"), CostUnit("watts", 95 * PPM)),
        rungs=(
            Rung("little", 1_000_000, (1_000_000, 1_200_000)),
            Rung("big", 2_300_000, (1_000_000, 4_700_000)),
        ),
        rules=(),
        rows=(
            Row(5_000, 29_999, AT_ONCE, (Climb(0, 1),)),
            Row(30_000, 79_999, AT_ONCE, (Climb(0, 0), Climb(12_500, 1))),
            Row(80_000, None, Admission.after(2_500), (Climb(0, 0), Climb(40_001, 1))),
        ),
        guard=Guard(10_000, 100_000, Outside.CLAMP),
        boost=None,
    )


def _all_ladder() -> Ladder:
    return replace(lucene_ladder(), guard=Guard(0, 30, Outside.FIRST_RUNG))


def _short_ladder() -> Ladder:
    return replace(
        lucene_ladder(),
        request_class="short",
        rules=(Rule.NEVER_DESCEND,),
        rows=(
            Row(0, 3, AT_ONCE, (Climb(0, 1), Climb(7_000, 3))),
            Row(4, None, ON_EXIT, (Climb(0, 0), Climb(20_000, 2))),
        ),
        guard=Guard(2, 8, Outside.FIRST_RUNG),
        boost=None,
    )


def _arrival_ladder() -> Ladder:
    return replace(
        lucene_ladder(),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.REREAD_ROW),
        rows=(
            Row(0, 1, AT_ONCE, (Climb(0, 0), Climb(10_000, 1), Climb(30_000, 3))),
            Row(2, 4, Admission.after(15_000), (Climb(0, 0), Climb(20_000, 2))),
            Row(5, None, ON_EXIT, (Climb(0, 0), Climb(60_000, 1))),
        ),
        guard=Guard(0, 5),
        boost=None,
    )


def _smallest_ladder() -> Ladder:
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(),
        rungs=(Rung("only", PPM, ()),),
        rules=(),
        quantum_us=1,
        rows=(Row(0, None, AT_ONCE, (Climb(0, 0),)),),
        guard=Guard(0, 0),
    )


def _largest_ladder() -> Ladder:
    largest = 2**53 - 1
    return replace(
        lucene_ladder(),
        rules=(),
        quantum_us=largest,
        rows=(
            Row(0, largest - 1, AT_ONCE, (Climb(0, 0), Climb(largest, 3))),
            Row(largest, None, Admission.after(largest), (Climb(0, 2), Climb(largest - 1, 3))),
        ),
        guard=Guard(0, largest),
        boost=None,
    )


def _curve_reading() -> Reading:
    curve = Curve(None, (1_000_000, 1_900_000, 2_650_000, 3_200_000))
    split = SplitRule(SplitBy.SEED, 200_000, seed=7)
    return Reading(
        Measure.DEMAND_BUSY, "1 thread", TimeUnit.MS, "demand_ms", curves=(curve,), split=split
    )


def _class_reading() -> Reading:
    curves = (Curve("short", (1_000_000, 1_100_000)), Curve("long", (1_000_000, 1_950_000)))
    return Reading(
        Measure.RESPONSE_CLOSED,
        "1 thread",
        TimeUnit.US,
        "took",
        weight="count",
        class_column="class",
        curves=curves,
        where=(("region", "eu"),),
        bin_us=5_000,
        split=SplitRule(SplitBy.HASH, 200_000, "query_id"),
        note="one client at a time: nothing waits",
    )


def _timings_reading() -> Reading:
    return Reading(
        Measure.DEMAND_CPU,
        "1 thread",
        TimeUnit.NS,
        timings=Timings("query", "threads", "elapsed"),
        split=SplitRule(SplitBy.TIME, 250_000, "at"),
        max_degree=4,
    )


def _cycles_reading() -> Reading:
    """Compute cycles counted at 2.4 GHz, and memory time beside them."""
    return Reading(
        Measure.DEMAND_BUSY,
        "2.4 GHz",
        TimeUnit.NS,
        "cycles",
        curves=(Curve(None, (PPM,)),),
        memory="memory_ns",
        clock_khz=2_400_000,
    )


def _throughput_reading() -> Reading:
    return Reading(
        Measure.THROUGHPUT,
        "the whole host",
        TimeUnit.MS,
        "done_per_s",
        time="at_ms",
        machine="vm",
        share="share",
    )


def _job_reading(*speedup_ppm: int) -> Reading:
    """Run times of jobs, with a speed-up by servers where they may have more."""
    curves = (Curve(None, speedup_ppm),) if speedup_ppm else ()
    return Reading(Measure.RUN_TIME, "a server", TimeUnit.S, "run time", curves=curves)


def _evidence() -> Evidence:
    return Evidence(
        objective="tail",
        method="grid",
        proof="grid-exhausted",
        solver="published",
        versions=(("tailc", "0.1.0"),),
        evaluations=0,
        settings=(("longest_us", 1_000_000), ("step_us", 5_000)),
        rows=(
            RowEvidence(1, 250_000, 249_000, 250_000, 240_000, 260_000, 70_000, 280_000, 4 * PPM),
            RowEvidence(2, 250_000, None, 250_000, 240_000, None, 70_000, 280_000, 4 * PPM),
        ),
    )
