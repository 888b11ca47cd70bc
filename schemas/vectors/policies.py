"""The policies behind the look-up vectors: small, and together they use the whole format."""

from __future__ import annotations

from dataclasses import replace

from batteries import battery_plan, extreme_battery_plan, racks_battery_plan
from budgets import budget_table, extreme_budget_table, smallest_budget_table
from cores import (
    coarse_controller,
    controller,
    core_ladder,
    extreme_controller,
    late_ladder,
    short_core_ladder,
)
from ladders import (
    all_ladder,
    all_settings_ladder,
    arrival_ladder,
    largest_ladder,
    lucene_ladder,
    rate_ladder,
    short_ladder,
    smallest_ladder,
    threads_ladder,
    typed_cores_ladder,
)
from overloads import (
    late_cut_ladder,
    overload_ladder,
    shedding_ladder,
    short_degraded_ladder,
)
from plans import cluster_plan, extreme_plan, grid_plan, racks_plan, slow_plan, smallest_plan
from readings import (
    class_reading,
    curve_reading,
    cycles_reading,
    job_reading,
    serial_reading,
    throughput_reading,
    timings_reading,
    token_reading,
    waiting_reading,
)
from sharings import (
    largest_sharing_ladder,
    late_sharing_ladder,
    least_sharing_ladder,
    sharing_ladder,
    watched_power_ladder,
)
from tails import (
    batched_table,
    capped_shares,
    extreme_table,
    extreme_trim,
    halting_table,
    lanes_ladder,
    observed_shares,
    settling_shares,
    shares,
    smallest_table,
    tail_table,
    trim,
)

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.forms.budget_table import BudgetTable
from tailc.forms.controller import Controller
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Guard, Ladder, Lane, LoadAxis
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.specs.slo import Slo
from tailc.traces.profile import NS_PER_MS
from tailc.traces.reading import TraceReading
from tailc.traces.summary import GRID_PPM, DemandSummary

Form = Ladder | Controller | TailTable | Shares | Plan | BudgetTable
Vector = tuple[str, Policy]
"""A sentence that says what is special, and the policy."""

PPM = 1_000_000
MS = 1_000


def named_policies() -> dict[str, Vector]:
    """By name."""
    return {
        **_ladders(),
        **_steered_ladders(),
        **_lane_ladders(),
        **_lanes_by_load(),
        **_settings_ladders(),
        **_overload_ladders(),
        **_sharing_ladders(),
        **_tail_tables(),
        **_shares(),
        **_plans(),
        **_battery_plans(),
        **_budget_tables(),
    }


def _ladders() -> dict[str, Vector]:
    """A ladder each, or one for each class."""
    return {
        "lucene": (
            "The published interval table of Haque et al., ASPLOS 2015, Table 2: in_system, all "
            "three admissions, rules boost-last-rung, never-descend and reread-row, boosting.",
            policy("lucene", lucene_ladder(), reading=curve_reading()),
        ),
        "rate": (
            "Load is an arrival rate (rate_mrps); rows far apart, the first not at 0; the guard "
            "clamps; no rules.",
            policy("rate", rate_ladder()),
        ),
        "classes": (
            "A ladder of its own for class `short`, and one for all other requests; guards that "
            "fall back to the first rung above, and on both sides of, their range.",
            policy("classes", all_ladder(), short_ladder(), reading=class_reading()),
        ),
        "arrival": (
            "Rule age-from-arrival: waiting counts towards the climbs, with a delay and on-exit.",
            policy("arrival", arrival_ladder(), reading=timings_reading()),
        ),
        "serial": (
            "Schema 1.9: requests with serial parts, which no look-up needs to know.",
            policy("serial", arrival_ladder(), reading=serial_reading()),
        ),
        "smallest": (
            "One rung, one row, no cost unit, no rule: every answer is to start now on rung 0.",
            policy("smallest", smallest_ladder()),
        ),
        "largest": (
            "Numbers up to 2^53 - 1, the largest that an artifact may hold, as ages, delays and "
            "loads.",
            policy("largest", largest_ladder()),
        ),
        "demand": (
            "Schema 1.1: as `smallest`, but the design input includes a summary of its demands, "
            "which no look-up needs.",
            _with_demand(policy("demand", smallest_ladder())),
        ),
        "estimates": (
            "Schema 1.8: as `smallest`, but the evidence includes estimates of the percentiles, "
            "which no look-up needs.",
            _with_estimates(policy("estimates", smallest_ladder())),
        ),
        "cores": (
            "Schema 1.2: rungs are cores of three kinds (rules core-per-request and make-room), "
            "with their power and the times of moves; no controller.",
            policy("cores", core_ladder()),
        ),
    }


def _steered_ladders() -> dict[str, Vector]:
    """Controllers, which scale the ages of climbs."""
    return {
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
    }


def _lane_ladders() -> dict[str, Vector]:
    """The ladder that schema 1.3 brought."""
    return {
        "lanes": (
            "Schema 1.3: rules busy-period-age and waited-start-last, which no look-up needs; one "
            "row has no climb but the first.",
            policy("lanes", lanes_ladder(), reading=cycles_reading()),
        ),
    }


def _lanes_by_load() -> dict[str, Vector]:
    """Lanes whose rows are by requests in the system, for schedulers."""
    rates = lanes_ladder()
    rows = (
        replace(rates.rows[0], last_load=7),
        replace(rates.rows[1], first_load=8, last_load=None),
    )
    shared, alone = rates.rungs
    ladder = replace(
        rates,
        load_axis=LoadAxis.IN_SYSTEM,
        rungs=(
            replace(shared, core_type="core", lane=Lane.SHARED),
            replace(alone, core_type="core", lane=Lane.ALONE),
        ),
        quantum_us=500,
        rows=rows,
        guard=Guard(0, 24),
    )
    return {
        "cores-lanes": (
            "Schema 1.10: rules busy-period-age and waited-start-last; rows are by requests in the "
            "system, and rungs state their core type and lane.",
            policy("cores-lanes", ladder, reading=cycles_reading()),
        ),
    }


def _settings_ladders() -> dict[str, Vector]:
    """Rungs that state what a server sets, which no look-up needs."""
    return {
        "settings": (
            "Schema 1.10: rungs state their numbers of threads.",
            policy("settings", threads_ladder()),
        ),
        "settings-every": (
            "Schema 1.10: every setting of a rung, alone and with others, at its limits; another "
            "class has rungs with core types and frequencies.",
            policy(
                "settings-every",
                all_settings_ladder(),
                typed_cores_ladder(core_ladder()),
                reading=class_reading(),
            ),
        ),
    }


def _overload_ladders() -> dict[str, Vector]:
    """Rules for overload, which no look-up needs."""
    return {
        "overload": (
            "Schema 1.6: rules shed, cut-off and degrade on the published table.",
            policy("overload", overload_ladder()),
        ),
        "overload-arrival": (
            "Schema 1.6: a cut-off where ages count from arrival.",
            policy("overload-arrival", late_cut_ladder()),
        ),
        "overload-limits": (
            "Schema 1.6: overload rules by class, every number at a limit.",
            policy(
                "overload-limits",
                shedding_ladder(),
                short_degraded_ladder(),
                reading=class_reading(),
            ),
        ),
    }


def _sharing_ladders() -> dict[str, Vector]:
    """Rules for sharing, which no look-up needs."""
    return {
        "sharing": (
            "Schema 1.6: rules start-below and give-up on the published table, all rows at-once.",
            policy("sharing", sharing_ladder()),
        ),
        "sharing-arrival": (
            "Schema 1.6: giving up where ages count from arrival, and rows make requests wait.",
            policy("sharing-arrival", late_sharing_ladder()),
        ),
        "sharing-power": (
            "Schema 1.6: starts depend on the use of the second cost unit.",
            policy("sharing-power", watched_power_ladder()),
        ),
        "sharing-limits": (
            "Schema 1.6: sharing rules by class, every number at a limit.",
            policy(
                "sharing-limits",
                largest_sharing_ladder(),
                least_sharing_ladder(),
                reading=class_reading(),
            ),
        ),
    }


def _tail_tables() -> dict[str, Vector]:
    """Tail tables; controllers scale the bounds of two."""
    return {
        "tails": (
            "Schema 1.3: a tail table of fourteen frequencies, rows of cycles and of memory time.",
            policy("tails", tail_table(), reading=cycles_reading()),
        ),
        "tails-batch": (
            "Schema 1.3: a tail table that leaves room for batch work, at 1.6 GHz at least.",
            policy("tails-batch", batched_table()),
        ),
        "tails-trim": (
            "Schema 1.3: a controller scales the bound of a tail table by its output.",
            policy("tails-trim", tail_table(), trim()),
        ),
        "tails-transition": (
            "Schema 1.9: cores halt at changes of frequency, which no look-up needs to know.",
            policy("tails-transition", halting_table()),
        ),
        "tails-extremes": (
            "Schema 1.3: a tail table with every number at a limit, its bound scaled up to twice.",
            policy("tails-extremes", extreme_table(), extreme_trim()),
        ),
        "tails-smallest": (
            "Schema 1.3: one frequency, one row, one position: every answer is the first level.",
            policy("tails-smallest", smallest_table()),
        ),
    }


def _shares() -> dict[str, Vector]:
    """Shares of a host by each law."""
    return {
        "shares": (
            "Schema 1.3: shares of a host for two machines with targets and one without.",
            policy("shares", shares(), reading=throughput_reading()),
        ),
        "shares-observer": (
            "Schema 1.3: shares by the other law, for one machine, every setting at a limit.",
            policy("shares-observer", observed_shares(), reading=throughput_reading()),
        ),
        "shares-cap": (
            "Schema 1.9: shares with caps of machines whose throughput follows no share.",
            policy("shares-cap", capped_shares(), reading=throughput_reading()),
        ),
        "shares-cap-settling": (
            "Schema 1.9: caps under the other law, with longer windows and waiting work.",
            policy("shares-cap-settling", settling_shares(), reading=waiting_reading()),
        ),
    }


def _plans() -> dict[str, Vector]:
    """Plans of racks and of clusters."""
    return {
        "plan": (
            "Schema 1.4: a plan for racks on two buses, rigid jobs, prices for jobs to come.",
            _with_supply(policy("plan", racks_plan(), reading=job_reading())),
        ),
        "plan-cluster": (
            "Schema 1.4: a plan for two pools on one bus, jobs that grow and shrink.",
            policy("plan-cluster", cluster_plan(), reading=job_reading(PPM, 1_900_000)),
        ),
        "plan-smallest": (
            "Schema 1.4: a plan for one server and one epoch.",
            policy("plan-smallest", smallest_plan(), reading=job_reading()),
        ),
        "plan-extremes": (
            "Schema 1.4: a plan with every number at a limit, to the end of the year 9999.",
            policy("plan-extremes", extreme_plan(), reading=job_reading()),
        ),
        "plan-slow": (
            "Schema 1.4: a plan whose jobs may take any time, at the largest cost of delay.",
            policy("plan-slow", slow_plan(), reading=job_reading()),
        ),
    }


def _battery_plans() -> dict[str, Vector]:
    """Plans with a battery, or with negative prices."""
    return {
        "plan-battery": (
            "Schema 1.5: a battery with losses beside a cluster on one bus.",
            policy("plan-battery", battery_plan(), reading=job_reading(PPM, 1_900_000)),
        ),
        "plan-battery-racks": (
            "Schema 1.5: a battery without losses beside racks on two buses, full at first.",
            policy("plan-battery-racks", racks_battery_plan(), reading=job_reading()),
        ),
        "plan-grid": (
            "Schema 1.12: a plan with negative prices, the power of its grid and a rule.",
            policy("plan-grid", grid_plan(), reading=job_reading(PPM, 1_900_000)),
        ),
        "plan-battery-extremes": (
            "Schema 1.5: a battery with every number at a limit.",
            policy("plan-battery-extremes", extreme_battery_plan(), reading=job_reading()),
        ),
    }


def _budget_tables() -> dict[str, Vector]:
    """Token budgets of a language model's server."""
    return {
        "budgets": (
            "Schema 1.11: token budgets of four rows and three columns; the last row computes no "
            "prompts.",
            policy("budgets", budget_table(), reading=token_reading()),
        ),
        "budgets-extremes": (
            "Schema 1.11: a budget table with every number at a limit.",
            policy("budgets-extremes", extreme_budget_table(), reading=token_reading()),
        ),
        "budgets-smallest": (
            "Schema 1.11: one budget for all states.",
            policy("budgets-smallest", smallest_budget_table(), reading=token_reading()),
        ),
    }


def policy(name: str, *forms: Form, reading: TraceReading | None = None) -> Policy:
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
        reading=reading or curve_reading(),
        evidence=_evidence(),
    )


def _with_demand(policy: Policy) -> Policy:
    """The quantiles are those of an even spread over 1 to 1,000 ms."""
    quantiles_ns = tuple(max(1, ppm // 1_000) * NS_PER_MS for ppm in GRID_PPM)
    design, *others = policy.inputs
    summarised = replace(design, demand=DemandSummary(500_500_000, quantiles_ns))
    return replace(policy, inputs=(summarised, *others))


def _with_estimates(policy: Policy) -> Policy:
    """One that passes, one that too few requests decide, and one of a server that is overloaded."""
    slower = ByHand("always 2 threads", 410_000, -219_512, 0, 30_000)
    swamped = ByHand("always 4 threads", 0, 0, 1, None)
    rows = (
        RateEstimate(0, "30/s", 30_000, 320_000, 300_000, 345_000, Standing.PASS, slower),
        RateEstimate(1, "30/s", 30_000, 870_000, 790_000, None, Standing.UNDECIDED, swamped),
        RateEstimate(0, "40/s", 40_000, 0, 0, None, Standing.OVERLOADED, None),
    )
    estimates = Estimates(Sample.KEPT_BACK, 2_000, 4, 200, 5_000, rows)
    return replace(policy, evidence=replace(policy.evidence, estimates=estimates))


def _with_supply(policy: Policy) -> Policy:
    """A series of energy went into the compile: two days by the hour."""
    supply = Input(InputRole.SUPPLY, "c4" * 32, 48, 0)
    return replace(policy, inputs=(*policy.inputs, supply))


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
