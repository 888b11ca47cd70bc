"""Values for the comparison of variants, from forms, evidence and replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tailc.artifact.envelope import Policy
from tailc.forms.budget_table import BudgetTable
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.plan_books import plan_books
from tailc.forms.shares import Shares
from tailc.models.columns import percent
from tailc.models.usage import HeadlineQuantity
from tailc.percentiles import PPM
from tailc.report.energy import energy_text as work_text
from tailc.report.energy import in_watts
from tailc.report.plan import carbon_text, cents_text, energy_text, money_text
from tailc.studies.rate_results import RateResult
from tailc.studies.sweep import VariantResult
from tailc.units import digits_text, format_mrps, format_percentile, format_ppm, format_us

_PPM_PER_PERCENT = 10_000
_MILLI = 1_000


@dataclass(frozen=True)
class ComparedValue:
    """A value by which variants of a spec are compared, such as a percentile at a rate.

    name: ends in the unit. of: the rate or machine that the value belongs to, or None. head, text:
    title and value for people. value: None if unknown, as for an overloaded server.
    """

    name: str
    of: str | None
    head: str
    value: int | None
    text: str

    @property
    def key(self) -> tuple[str, str | None]:
        """The key by which the same value of two policies is found: name, and rate or machine."""
        return self.name, self.of


def compared_values(answer: VariantResult) -> tuple[ComparedValue, ...]:
    """Collect the values by which a variant of a spec is compared with others.

    Empty if the variant has no policy.
    """
    policy = answer.policy
    if policy is None:
        return ()
    values = [figure for result in answer.rates for figure in _at_rate(policy, result)]
    if policy.plan is not None:
        values += _plan_values(policy, policy.plan)
    if policy.budget_table is not None:
        values += _budget_values(policy.budget_table)
    if policy.shares is not None:
        values += _shares_values(policy, policy.shares)
    return tuple(values)


def _at_rate(policy: Policy, result: RateResult) -> Iterator[ComparedValue]:
    """The tail at a rate, and its cost: batch work, power, energy per request, or threads."""
    rate_text = format_mrps(result.rate_mrps)
    percentile = format_percentile(result.percentile_ppm)
    tail = "overloaded" if result.tail_us is None else format_us(result.tail_us)
    yield ComparedValue("tail_us", rate_text, f"{percentile} at {rate_text}", result.tail_us, tail)
    name, noun, value, text = _cost_of_rate(policy, result)
    if result.load.is_overloaded:
        value, text = None, "-"
    yield ComparedValue(name, rate_text, f"{noun} at {rate_text}", value, text)


def _cost_of_rate(policy: Policy, result: RateResult) -> tuple[str, str, int, str]:
    """Name, noun, value and text of the cost of a policy at a rate."""
    headline = result.usage.headline(result.load)
    value = headline.value
    match headline.quantity:
        case HeadlineQuantity.BATCH:
            return "batch_ppm", "batch work", value, percent(value)
        case HeadlineQuantity.POWER:
            return "power_mw", "power", value, f"{value / _MILLI:.4g} W"
        case HeadlineQuantity.ENERGY:
            # Energy in 1e-3 mJ, or in 1e-3 ms of a slow core.
            watts = in_watts(policy.evidence)
            name = "request_uj" if watts else "request_slow_core_us"
            return name, "a request", value, work_text(value * PPM, watts)
        case HeadlineQuantity.THREADS:
            return "threads_milli", "threads", value, f"{value / _MILLI:.2f}"


def _plan_values(policy: Policy, plan: Plan) -> Iterator[ComparedValue]:
    """Values of a plan: money, jobs, energy, CO2, SLO and gap."""
    settings = dict(policy.evidence.settings)
    books = plan_books(plan)
    ledger = books.ledger
    if (profit := settings.get("profit_udollars")) is not None:
        yield _figure("profit_udollars", "profit", profit, cents_text(profit))
    else:
        value = settings["value"]
        yield _figure("value_udollars", "cost", value, money_text(value))
    yield _figure("jobs", "jobs", len(plan.jobs), f"{len(plan.jobs):,}")
    yield _figure("brown_mj", "brown", ledger.brown_mj, energy_text(ledger.brown_mj))
    yield _figure("green_mj", "green", ledger.green_used_mj, energy_text(ledger.green_used_mj))
    yield _figure("left_mj", "left over", ledger.spilled_mj, energy_text(ledger.spilled_mj))
    price = round(ledger.brown_udollars)
    yield _figure("brown_udollars", "paid for brown", price, cents_text(price))
    carbon = round(ledger.brown_mg)
    yield _figure("brown_mg", "CO2", carbon, carbon_text(Fraction(carbon)))
    if (saved := settings.get("battery_saved_udollars")) is not None:
        yield _figure("battery_saved_udollars", "battery saves", saved, cents_text(saved))
    if plan.terms is not None:
        missed = sum(job.penalty_udollars > 0 for job in books.jobs)
        yield _figure("missed_jobs", "missed", missed, f"{missed:,}")
    yield _figure(
        "violations_ppm", "promised", plan.violations_ppm, f"<= {format_ppm(plan.violations_ppm)}"
    )
    if (gap_ppm := settings.get("gap_ppm")) is not None:
        yield _figure("gap_ppm", "gap", gap_ppm, f"{digits_text(gap_ppm / _PPM_PER_PERCENT, 3)} %")


def _shares_values(policy: Policy, shares: Shares) -> Iterator[ComparedValue]:
    """Values of CPU shares: what each target needs, and the most that the host can do for it."""
    settings = dict(policy.evidence.settings)
    for number, machine in enumerate(shares.served_machines, start=1):
        needs = settings[f"machine_{number}_needs_ppm"]
        most = settings[f"machine_{number}_most_milli"]
        name = machine.name
        yield ComparedValue("needs_ppm", name, f"{name} needs", needs, percent(needs))
        yield ComparedValue("max_milli", name, f"the host does for {name}", most, format_mrps(most))


def _budget_values(table: BudgetTable) -> Iterator[ComparedValue]:
    """Values of token budgets: the least and the largest one."""
    budgets = [budget for row in table.rows for budget in row.budgets]
    yield _figure("least_budget", "least budget", min(budgets), f"{min(budgets):,}")
    yield _figure("largest_budget", "largest budget", max(budgets), f"{max(budgets):,}")


def _figure(name: str, head: str, value: int, text: str) -> ComparedValue:
    return ComparedValue(name, None, head, value, text)
