"""A policy as text: SLO, evidence, estimates and tables."""

from __future__ import annotations

import itertools
import json

from tailc.artifact.envelope import REPLAYED, Evidence, InputRole, Policy
from tailc.artifact.json_form import encode_json
from tailc.experiment.tuned_arrivals import arrivals_text
from tailc.forms.budget_table import BudgetTable
from tailc.forms.controller import Controller
from tailc.forms.ladder.jumps import jumps
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Admission, AdmissionKind, Ladder, LoadAxis, Row
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.percentiles import PPM
from tailc.report.ages import age_origin
from tailc.report.energy import cost_titles, in_watts, is_by_rate, is_energy, objective_text
from tailc.report.estimates import estimates_result, estimates_text
from tailc.report.judging import OVERLOADED
from tailc.report.overload import overload_text
from tailc.report.robust import radius_line
from tailc.report.rungs import is_joint, rungs_text
from tailc.report.sharing import boost_text, sharing_text
from tailc.report.steering import climbs_text, controller_text, cores_text
from tailc.report.table import align_columns
from tailc.specs.slo import EndToEnd
from tailc.traces.profile import NS_PER_MS
from tailc.traces.reading import RequestReading, TraceReading
from tailc.traces.summary import GRID_PPM
from tailc.units import digits_text, format_mrps, format_us, printable

# Percentiles of the design demand; all are in the summary's grid.
_SHOWN_PERCENT = (50, 95, 99)
# Units of time: name, length [ns], and the time [ns] from which on it is used.
_ROUGH_UNITS = (
    ("h", 3_600e9, 7_200e9),
    ("min", 60e9, 600e9),
    ("s", 1e9, 10e9),
    ("ms", NS_PER_MS, 0),
)
# Objectives that are maximised.
# Older policies have `queue-rate`.
_MOST = {
    "profit": "most",
    "rate": "highest",
    "queue-rate": "highest",
    "goodput": "most",
}


def policy_result(policy: Policy) -> dict[str, object]:
    """Convert a policy and its estimates to the JSON result of a command."""
    return {"policy": json.loads(encode_json(policy))} | estimates_result(policy)


def policy_text(policy: Policy) -> str:
    """Format a policy: name, SLO, evidence, estimates and tables.

    Text from the artifact is escaped, so that the terminal obeys no control characters.
    """
    head = [
        f"{policy.name} ({policy.kind}), generation {policy.generation}",
        *_promise_lines(policy),
    ]
    head.append(f"evidence   {evidence_line(policy)}")
    if policy.evidence.proof == REPLAYED and policy.budget_table is None:
        head.append(f"tuned for  {arrivals_text(dict(policy.evidence.settings))}")
        head += _tuned_tails(policy)
    stands = radius_line(policy.evidence)
    if stands is not None:
        head.append(f"tolerates  {stands}")
    estimates = estimates_text(policy)
    tables = [estimates] if estimates else []
    tables += [_ladder(form, policy) for form in policy.ladders]
    tables += [_text_of(form) for form in policy.forms if not isinstance(form, Ladder | Controller)]
    if policy.controller is not None:
        tables.append(controller_text(policy.controller))
    return "\n".join([*map(printable, head), "", "\n\n".join(tables)])


def _text_of(form: TailTable | Shares | Plan | BudgetTable) -> str:
    """Format a form that is not a ladder."""
    match form:
        case TailTable():
            from tailc.report.tail_table import tail_table_text

            return tail_table_text(form)
        case Shares():
            from tailc.report.shares import shares_text

            return shares_text(form)
        case Plan():
            from tailc.report.plan import plan_text

            return plan_text(form)
        case BudgetTable():
            from tailc.report.budget_table import budget_table_text

            return budget_table_text(form)


def _promise_lines(policy: Policy) -> list[str]:
    """The SLOs of the policy, and their rates."""
    lines = []
    if policy.slos:
        lines.append(f"SLO        {slos_text(policy)}")
    if (predictions := predictions_text(policy)) is not None:
        lines.append(f"predicted  {predictions}")
    if policy.rates_mrps:
        lines.append(f"rates      {', '.join(format_mrps(rate) for rate in policy.rates_mrps)}")
    if (serial := serial_text(policy.reading)) is not None:
        lines.append(f"serial     {serial}")
    return lines


def _tuned_tails(policy: Policy) -> list[str]:
    """Format the held-out tail of the tuned table at each rate, compared with the formula's."""
    settings = dict(policy.evidence.settings)

    def tail(rate: str, whose: str) -> str:
        """Format a tail of the settings, or that the table is overloaded."""
        us = settings.get(f"{rate}_{whose}_us")
        return OVERLOADED if us is None else format_us(us)

    rates = (f"rate_{number}" for number in itertools.count(1))
    parts = [
        f"{format_mrps(settings[f'{rate}_mrps'])} {tail(rate, 'tuned')} "
        f"(formula's {tail(rate, 'formula')})"
        for rate in itertools.takewhile(lambda rate: f"{rate}_mrps" in settings, rates)
    ]
    if not parts:
        return []
    part_ppm = settings.get("formula_part_ppm", PPM)
    scaled = "ages" if policy.ladders else "bound"
    part = f"; the formula's with {100 * part_ppm / PPM:.1f} % of its {scaled}"
    return [f"tails      {'; '.join(parts)}{'' if part_ppm in (0, PPM) else part}"]


def _ladder(form: Ladder, policy: Policy) -> str:
    """Format a ladder: rows, then the rules, cores or shared resources that it has."""
    cores = cores_text(form, " [W]" if in_watts(policy.evidence) else "")
    if is_joint(form):
        cores = rungs_text(form)
    heading = "" if form.request_class is None else f"class {printable(form.request_class)}\n"
    below = "".join(f"\n\n{part}" for part in _ladder_details(form, cores) if part)
    return heading + ladder_text(form) + below


def _ladder_details(form: Ladder, cores: str) -> tuple[str, ...]:
    return overload_text(form), sharing_text(form), boost_text(form), cores


def demand_line(policy: Policy) -> str | None:
    """Format mean and percentiles of the design demand; None if the policy does not record it."""
    for part in policy.inputs:
        if part.role is InputRole.DESIGN and part.demand is not None:
            parts = [f"mean {rough_time(part.demand.mean_ns)}"]
            for percent in _SHOWN_PERCENT:
                at = GRID_PPM.index(percent * PPM // 100)
                parts.append(f"p{percent} {rough_time(part.demand.quantiles_ns[at])}")
            return f"demand of {part.requests:,} requests: {', '.join(parts)}"
    return None


def rough_time(time_ns: int) -> str:
    """Format a time [ns] with four digits in ms; in s, min or h from 10 s on."""
    unit, size_ns = next(each for each in _ROUGH_UNITS if time_ns >= each[2])[:2]
    return f"{time_ns / size_ns:.4g} {unit}"


def _rule_for_later_jobs(policy: Policy) -> str | None:
    if policy.plan is None:
        return None

    return policy.later_jobs


def evidence_line(policy: Policy) -> str:
    """Format the evidence in one line: objective, method, proof, largest gap and effort."""
    evidence = policy.evidence
    aim, rule = _MOST.get(evidence.objective, "least"), _rule_for_later_jobs(policy)
    by, later = f" by {evidence.method}", ""
    if rule is not None:
        by, later = "", f", later jobs by {rule}"
    return (
        f"{aim} {evidence.objective}{by} ({evidence.proof}), {_gap_text(evidence)}, "
        f"{evidence.evaluations:,} evaluations{_literal_search(policy)}{_smoothness(policy)}{later}"
    )


def _smoothness(policy: Policy) -> str:
    """State how far smoothed rows may be from the optimum, and which rows are not smooth."""
    settings = dict(policy.evidence.settings)
    tolerance_ppm = settings.get("tolerance_ppm")
    if tolerance_ppm is None or policy.evidence.proof == REPLAYED:
        return ""
    (ladder,) = policy.ladders
    searched = [row for row in ladder.rows if row.first_load <= settings["max_in_system"]]
    loads = jumps(searched)
    text = f", rows within {digits_text(tolerance_ppm * 100 / PPM, 2)} % of the best to be smooth"
    return text + (f" (not: {', '.join(map(str, loads))} in the system)" if loads else "")


def _gap_text(evidence: Evidence) -> str:
    """Format the largest gap of the rows; for plans, the gap relative to the plan's value."""
    gaps = [row.gap_us for row in evidence.rows if row.gap_us is not None]
    if gaps:
        return f"largest gap to the proved bound {objective_text(evidence, max(gaps))}"
    gap_ppm = dict(evidence.settings).get("gap_ppm")
    if gap_ppm is None:
        return "no bound"
    return f"gap to the proved bound {digits_text(gap_ppm * 100 / PPM, 2)} %"


def _literal_search(policy: Policy) -> str:
    """Format the number of requests that an exhaustive search would examine, if known.

    (y / step)^n * req_max * |R| (Haque et al., ASPLOS 2015, section 4.1).
    """
    settings = dict(policy.evidence.settings)
    design = [part.rows for part in policy.inputs if part.role is InputRole.DESIGN]
    is_formula = policy.evidence.proof != REPLAYED
    is_complete = settings.keys() >= {"longest_us", "step_us", "rungs", "max_in_system"}
    if not (design and is_formula and is_complete):
        return ""
    schedules = (settings["longest_us"] // settings["step_us"]) ** settings["rungs"]
    looked_at = schedules * settings["max_in_system"] * design[0]
    return f" (the paper's search would look at {looked_at:.1e} requests)"


def ladder_text(ladder: Ladder) -> str:
    """Format the rows as a table: load, admission, and `rung from age` for every climb."""
    title = "in system" if ladder.load_axis is LoadAxis.IN_SYSTEM else "rate"
    rows = [(title, "start", f"then, by age since the {age_origin(ladder)}")]
    rows += [
        (
            _loads(row, ladder.load_axis),
            admission_text(row.admission),
            climbs_text(row.climbs, ladder),
        )
        for row in ladder.rows
    ]
    return align_columns(rows)


def evidence_text(evidence: Evidence) -> str:
    """Format one line per load: objective, bound, gap and predictions [ms, cost units].

    Loads without a proof are omitted; empty if no load has one.
    """
    if not evidence.rows:
        return ""
    title = (
        "load",
        "tail",
        "95 % of the sample",
        "bound",
        "gap",
        "mean",
        *cost_titles(evidence),
    )
    return align_columns([title, *(_evidence_row(evidence, row) for row in evidence.rows)])


def _load_text(evidence: Evidence, load: int) -> str:
    """Format a load: requests in the system, or a rate if the evidence is by rate."""
    return format_mrps(load) if is_by_rate(evidence) else str(load)


def _loads(row: Row, axis: LoadAxis) -> str:
    first, last = row.first_load, row.last_load
    if axis is LoadAxis.RATE:
        return f"from {format_mrps(first)}"
    if last is None:
        return f"{first} and more"
    return str(first) if first == last else f"{first} to {last}"


def admission_text(admission: Admission) -> str:
    """Format when a waiting request may start, such as `after 10 ms`."""
    if admission.kind is AdmissionKind.DELAY:
        return f"after {format_us(admission.delay_us)}"
    return "at once" if admission.kind is AdmissionKind.AT_ONCE else "at an exit"


def _evidence_row(evidence: Evidence, row: RowEvidence) -> tuple[str, ...]:
    high = "?" if row.tail_high_us is None else format_us(row.tail_high_us)
    return (
        _load_text(evidence, row.load),
        format_us(row.tail_us),
        f"{format_us(row.tail_low_us)} to {high}",
        "none" if row.bound_us is None else objective_text(evidence, row.bound_us),
        "" if row.gap_us is None else objective_text(evidence, row.gap_us),
        format_us(row.mean_us),
        objective_text(evidence, row.objective_us)
        if is_energy(evidence)
        else format_us(row.cost_time_us),
        f"{row.total_cost_ppm / PPM:.3f}",
    )


def slos_text(policy: Policy) -> str:
    """Format the SLOs of one server, each with its end-to-end SLO over several servers."""
    evidence_settings = dict(policy.evidence.settings)
    return "; ".join(
        f"{slo}{_end_to_end(evidence_settings, number)}"
        for number, slo in enumerate(policy.slos, start=1)
    )


def _end_to_end(evidence_settings: dict[str, int], number: int) -> str:
    percentile_ppm = evidence_settings.get(f"slo_{number}_end_to_end_ppm")
    servers = evidence_settings.get(f"slo_{number}_servers")
    if percentile_ppm is None or servers is None:
        return ""
    return f" ({EndToEnd(percentile_ppm, servers)})"


def predictions_text(policy: Policy) -> str | None:
    """Format the predicted percentiles of several SLOs at each rate; None for a single SLO."""
    evidence_settings = dict(policy.evidence.settings)
    by_rate = [
        f"{_tails(policy, evidence_settings, number)} at {format_mrps(rate_mrps)}"
        for number, rate_mrps in enumerate(policy.rates_mrps, start=1)
        if f"slo_1_rate_{number}_us" in evidence_settings
    ]
    return "; ".join(by_rate) or None


def _tails(policy: Policy, evidence_settings: dict[str, int], rate: int) -> str:
    names = {
        f"slo_{slo_number}_rate_{rate}_us": slo
        for slo_number, slo in enumerate(policy.slos, start=1)
    }
    return ", ".join(
        f"{str(slo).split(' <=')[0]} {format_us(evidence_settings[name])}"
        for name, slo in names.items()
        if name in evidence_settings
    )


def serial_text(reading: TraceReading) -> str | None:
    """Format the serial parts, such as `start 2 ms, end 5 %`; None if requests have none."""
    serial = reading.serial if isinstance(reading, RequestReading) else None
    if serial is None:
        return None
    parts = {
        "start": _part(serial.start_us, serial.start_ppm),
        "end": _part(serial.end_us, serial.end_ppm),
    }
    return ", ".join(f"{name} {part}" for name, part in parts.items() if part)


def _part(time_us: int, share_ppm: int) -> str:
    time = [format_us(time_us)] if time_us else []
    share = [f"{100 * share_ppm / PPM:g} %"] if share_ppm else []
    return " and ".join(time + share)
