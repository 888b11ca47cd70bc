"""A plan of a datacentre as text: horizon, energy, jobs and prices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tailc.forms.plan.ledger import MJ_PER_KWH, Ledger
from tailc.forms.plan.plan import Battery, Plan, PlannedJob, Span
from tailc.forms.plan.plan_books import JobBooks, PlanBooks, plan_books
from tailc.report.plan_epochs import epochs_text, strip_text
from tailc.report.table import align_columns
from tailc.traces.zones import utc_text
from tailc.units import digits_text, format_mw, format_ppm, plain_ppm, plural, printable

# The number of jobs that the summary lists.
_SHOWN = 12
_UNITS = (("h", 3_600), ("min", 60), ("s", 1))
_MG_PER_KG = 1_000_000
MJ_PER_J = 1_000


def plan_text(plan: Plan) -> str:
    """Format a plan: horizon, terms, expected energy and money, pools, epochs and jobs."""
    books = plan_books(plan)
    head = [
        f"horizon     {utc_text(plan.start_unix_s)} to {utc_text(plan.end_unix_s)}, "
        f"{plural(len(plan.epochs), 'epoch')} of {length_text(plan.epoch_s)}",
        f"jobs        {_terms_text(plan)}",
        f"promise     at most {format_ppm(plan.violations_ppm)} of the jobs {_missed_text(plan)}",
        f"expected    {expected_text(books)}",
    ]
    if plan.battery is not None:
        head.insert(3, f"battery     {battery_text(plan.battery)}")
    parts = ["\n".join(head), pools_text(plan), strip_text(plan)]
    if plan.jobs:
        parts.append(jobs_text(plan, books, plan.jobs[:_SHOWN]))
        if len(plan.jobs) > _SHOWN:
            parts[-1] += f"\n... and {len(plan.jobs) - _SHOWN:,} more (--rows shows all)"
    return "\n\n".join(parts)


def plan_rows_text(plan: Plan) -> str:
    """Format all epochs with their prices, and all jobs if the summary omits some."""
    parts = [epochs_text(plan)]
    if len(plan.jobs) > _SHOWN:
        parts.append(jobs_text(plan, plan_books(plan), plan.jobs))
    return "\n\n".join(parts)


def length_text(length_s: int) -> str:
    """Format a duration in the largest of h, min and s that divides it."""
    unit, size = next(one for one in _UNITS if length_s % one[1] == 0)
    return f"{length_s // size:,} {unit}"


def money_text(udollars: int | Fraction) -> str:
    """Format an amount [1e-6 dollars], such as `$0.0725` or `-$3`."""
    whole = round(udollars)
    return f"{'-' if whole < 0 else ''}${plain_ppm(abs(whole))}"


def energy_text(energy_mj: int) -> str:
    """Format an energy [mJ] with four digits in kWh, or in J below 0.001 kWh."""
    if 0 < energy_mj < MJ_PER_KWH // 1_000:
        return f"{digits_text(energy_mj / MJ_PER_J, 4)} J"
    return f"{digits_text(energy_mj / MJ_PER_KWH, 4)} kWh"


def carbon_text(carbon_mg: Fraction) -> str:
    """Format a mass of CO2 [mg] with four digits in kg."""
    return f"{digits_text(float(carbon_mg) / _MG_PER_KG, 4)} kg"


def expected_text(books: PlanBooks) -> str:
    """Format expected energy by source, its price and CO2, the income of jobs, and moves."""
    ledger = books.ledger
    items = [
        f"{energy_text(ledger.demand_mj)}, {energy_text(ledger.green_used_mj)} of them green",
        f"brown {energy_text(ledger.brown_mj)} for {cents_text(ledger.brown_udollars)} with "
        f"{carbon_text(ledger.brown_mg)} CO2",
        f"green {energy_text(ledger.spilled_mj)} left over",
    ]
    if income := sum(job.fees_udollars for job in books.jobs):
        penalty = sum(job.penalty_udollars for job in books.jobs)
        items.append(f"jobs pay {cents_text(income)}, {cents_text(penalty)} goes back")
    if ledger.charged_mj or ledger.discharged_mj:
        items.append(flows_text(ledger))
    if moved := sum(books.moved):
        items.append(f"{plural(moved, 'server')} moved")
    if ledger.thrown_mj:
        items.append(f"{energy_text(ledger.thrown_mj)} bought at negative prices and thrown away")
    if books.short_mj:
        items.append(f"the green bus lacks {energy_text(books.short_mj)}")
    return "; ".join(items)


def flows_text(ledger: Ledger) -> str:
    """Format the energy that a battery takes in, loses and gives out."""
    lost = f", {energy_text(ledger.lost_mj)} of them lost" if ledger.lost_mj else ""
    discharged = energy_text(ledger.discharged_mj)
    return f"battery charges {energy_text(ledger.charged_mj)}{lost}, discharges {discharged}"


def battery_text(battery: Battery) -> str:
    """Format a battery: capacity, charge and discharge limits, and efficiency."""
    return (
        f"{energy_text(battery.capacity_mj)}, {energy_text(battery.first_mj)} at first; charges at "
        f"up to {format_mw(battery.charge_mw)} and stores {format_ppm(battery.kept_ppm)} of it, "
        f"discharges at up to {format_mw(battery.discharge_mw)}"
    )


def cents_text(udollars: int | Fraction) -> str:
    """Format an amount [1e-6 dollars] rounded to cents."""
    whole = round(Fraction(udollars) / 10_000)
    return f"{'-' if whole < 0 else ''}${abs(whole) // 100:,}.{abs(whole) % 100:02}"


def pools_text(plan: Plan) -> str:
    """Format one line per pool, brownest first: racks, servers, power, moves and prices."""
    has_racks = plan.pools[0].racks is not None
    title = ["pool", "racks", "servers", "busy", "asleep", "a move", "price of a server and epoch"]
    rows, first = [title], 1
    for pool, prices in zip(plan.pools, plan.prices, strict=True):
        racks = pool.racks or 0
        low, high = min(prices.udollars), max(prices.udollars)
        price = money_text(low) if low == high else f"{money_text(low)} to {money_text(high)}"
        last = first + racks - 1
        rows.append(
            [
                printable(pool.name),
                str(first) if racks == 1 else f"{first}-{last}",
                f"{pool.servers:,}",
                format_mw(pool.busy_mw),
                format_mw(pool.asleep_mw),
                f"{digits_text(pool.migration_mj / MJ_PER_J, 4)} J",
                price,
            ]
        )
        first += racks
    if not has_racks:
        rows = [[row[0], *row[2:]] for row in rows]
    return align_columns(rows, numbers=range(1, len(rows[0])))


def jobs_text(plan: Plan, books: PlanBooks, jobs: Sequence[PlannedJob]) -> str:
    """Format one line per job: start, duration, slots, green slots, and its servers."""
    by_name = {job.name: job for job in books.jobs}
    title = ["job", "from", "epochs", "slots", "promised", "green", "servers by epoch"]
    rows = [title]
    for job in jobs:
        first, past = job.spans[0].first_epoch, max(span.past for span in job.spans)
        rows.append(
            [
                printable(job.name),
                utc_text(plan.start_unix_s + first * plan.epoch_s),
                str(past - first),
                *_slots_text(by_name[job.name]),
                places_text(plan, job.spans),
            ]
        )
    if plan.terms is None:
        rows = [[*row[:4], *row[6:]] for row in rows]
    return align_columns(rows, numbers=range(2, len(rows[0]) - 1))


def places_text(plan: Plan, spans: Sequence[Span]) -> str:
    """Format the servers of a job by epoch: `0-5: 10 of racks 1-3; 6-9: 10 of racks 5-6`."""
    items = []
    for span in spans:
        last = span.past - 1
        when = str(last) if span.epochs == 1 else f"{span.first_epoch}-{last}"
        items.append(f"{when}: {span.servers} of {printable(plan.pools[span.pool].name)}")
    return "; ".join(items)


def _slots_text(job: JobBooks) -> tuple[str, str, str]:
    return f"{job.slots:,}", f"{job.promised_slots:,}", f"{job.green_slots:,}"


def _terms_text(plan: Plan) -> str:
    if plan.terms is not None:
        terms = plan.terms
        return (
            f"rigid; a server and epoch pays {money_text(terms.green_udollars)} promised green, "
            f"else {money_text(terms.brown_udollars)}; {money_text(terms.penalty_udollars)} goes "
            "back where a promise is missed"
        )
    assert plan.malleable is not None
    return (
        f"malleable, up to {plain_ppm(plan.malleable.slowdown_ppm)} times as long; an epoch of "
        f"delay counts {money_text(plan.malleable.delay_udollars)}"
    )


def _missed_text(plan: Plan) -> str:
    return "miss their green energy" if plan.terms is not None else "are done too late"
