"""The part of `tailc lookup` for plans: servers of a job, power of a pool, or a quote for a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.lookup_query import (
    JobQuery,
    PlanQuery,
    PoolQuery,
    PoolsQuery,
    PriceQuery,
    given_options,
    refuse,
)
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tailc.errors import Finding
    from tailc.forms.plan.plan import Plan
    from tailc.forms.plan.quote import Quote, Whole

# Number of names in a message about an unknown name; if there are more, the closest ones.
_LISTED = 12


def look_up(plan: Plan, query: PlanQuery, rule: str | None) -> CommandOutcome:
    """Look up the decisions of a plan at a time: for a job, a pool of servers, or a new job.

    rule: the rule for jobs that the plan does not include; None: its prices.
    """
    epoch = _epoch(plan, query.at_unix_s)
    from tailc.traces.zones import utc_text

    first = plan.start_unix_s + epoch * plan.epoch_s
    text = f"epoch {epoch} of {len(plan.epochs)}, {utc_text(first)} to "
    text += utc_text(first + plan.epoch_s)
    result: dict[str, object] = {"epoch": epoch, "first_unix_s": first}
    answer = _answer(plan, epoch, query)
    return CommandOutcome(
        text=f"{text}\n{answer[0]}", result=result | answer[1], findings=_other_rule(query, rule)
    )


def _other_rule(query: PlanQuery, rule: str | None) -> tuple[Finding, ...]:
    """A note that the policy does not decide by the prices of this answer."""
    from tailc.errors import Code, Finding, Severity

    if rule is None or not isinstance(query.question, PriceQuery):
        return ()
    message = f"this answer is by prices, but the policy decides about later jobs by `{rule}`"
    hint = "plan again with `tailc replan`, which decides by all that is known then"
    return (Finding(Code.RULE_CHOSEN, message, None, hint, Severity.NOTE),)


def _answer(plan: Plan, epoch: int, query: PlanQuery) -> tuple[str, dict[str, object]]:
    match query.question:
        case JobQuery(name):
            return _job_answer(plan, epoch, name)
        case PriceQuery() as job:
            return _quote_cheapest(plan, epoch, job)
        case PoolQuery(name):
            return _pools_answer(plan, epoch, [_pool(plan, name)])
        case PoolsQuery():
            text, result = _pools_answer(plan, epoch, range(len(plan.pools)))
            battery_text, battery = _battery_answer(plan, epoch)
            return text + battery_text, result | battery


def _epoch(plan: Plan, at_unix_s: int | None) -> int:
    from tailc.traces.zones import utc_text

    validity = f"it covers {utc_text(plan.start_unix_s)} to {utc_text(plan.end_unix_s)}"
    if at_unix_s is None:
        example = f"--at {utc_text(plan.start_unix_s)}"
        raise click.UsageError(
            f"the decisions of a plan depend on the time, and {validity}: give a time, such as "
            f"`{example}`"
        )
    epoch = plan.epoch_at(at_unix_s)
    if epoch is None:
        message = f"`{utc_text(at_unix_s)}` is outside the plan: {validity}"
        raise click.BadParameter(message, param_hint="'--at'")
    return epoch


def _job_answer(plan: Plan, epoch: int, name: str) -> tuple[str, dict[str, object]]:
    from tailc.units import printable

    names = [job.name for job in plan.jobs]
    if name not in names:
        raise _unknown_name("job", name, names, "the plan has no jobs")
    places = plan.allocation(name, epoch) or ()
    servers = [
        f"{servers} of {printable(plan.pools[pool].name)} ({_source(plan, pool, epoch)})"
        for pool, servers in places
    ]
    text = f"{printable(name)}: {', '.join(servers) or 'no servers'}"
    rows = [
        {
            "pool": plan.pools[pool].name,
            "servers": servers,
            "source": _source(plan, pool, epoch),
        }
        for pool, servers in places
    ]
    return text, {"job": name, "places": rows}


def _pools_answer(plan: Plan, epoch: int, chosen: Sequence[int]) -> tuple[str, dict[str, object]]:
    from tailc.report.plan import money_text
    from tailc.report.table import align_columns
    from tailc.units import printable

    rows, pools = [("pool", "source", "free", "of", "price")], []
    for pool in chosen:
        one, free = plan.pools[pool], int(plan.free[pool, epoch])
        price, source = plan.prices[pool].udollars[epoch], _source(plan, pool, epoch)
        cells = (printable(one.name), source, f"{free:,}", f"{one.servers:,}", money_text(price))
        rows.append(cells)
        pools.append(
            {
                "name": one.name,
                "source": source,
                "servers": one.servers,
                "free": free,
                "price_udollars": price,
            }
        )
    return align_columns(rows, (2, 3, 4)), {"pools": pools}


def _battery_answer(plan: Plan, epoch: int) -> tuple[str, dict[str, object]]:
    """What the battery does in the epoch, and its charge at the end; empty without a battery."""
    from tailc.report.plan import energy_text

    if plan.battery is None:
        return "", {}
    flow_mj, stored_mj = (
        row[epoch] for row in (plan.battery_mj, plan.battery.states_mj(plan.battery_mj))
    )
    does = f"{'charges' if flow_mj >= 0 else 'discharges'} {energy_text(abs(flow_mj))}"
    charge = f"{energy_text(stored_mj)} of {energy_text(plan.battery.capacity_mj)}"
    result = {"battery_mj": flow_mj, "stored_mj": stored_mj}
    return f"\nthe battery {does}, and stores {charge} at the end of the epoch", {"battery": result}


def _quote_cheapest(plan: Plan, epoch: int, job: PriceQuery) -> tuple[str, dict[str, object]]:
    """Quote for a rigid job, or for the cheapest width of a malleable one."""
    if len(job.epochs) != len(job.widths):
        raise click.UsageError(
            "each `--width` needs `--epochs`, the run time of the job on that width"
        )
    if plan.malleable is None:
        if len(job.widths) > 1:
            raise click.UsageError("jobs of this plan run on one width: give `--width` once")
        return _quote_rigid(plan, epoch, job)
    green = given_options({"green": job.green_ppm})
    refuse(green, {"this plan has no green energy in its SLA": ("green",)})
    return _cheapest(plan, epoch, dict(zip(job.widths, job.epochs, strict=True)))


def _quote_rigid(plan: Plan, epoch: int, job: PriceQuery) -> tuple[str, dict[str, object]]:
    from tailc.forms.plan.plan import PPM
    from tailc.forms.plan.quote import RigidJob, quote
    from tailc.report.plan import money_text

    (width,), (epochs,), green_ppm = job.widths, job.epochs, job.green_ppm or 0
    if green_ppm > PPM:
        raise click.BadParameter("a share lies from 0 % to 100 %", param_hint="'--green'")
    offer = quote(plan, plan.free, RigidJob(epoch, epochs, width, green_ppm))
    within, cut = _epochs_in_plan(plan, epoch, epochs)
    result: dict[str, object] = {"quote": _quote_dict(plan, offer) | {"epochs_in_plan": within}}
    if offer.places is None:
        return _no_room(plan, epoch, epochs), result
    does = "admitted: it pays" if offer.is_admitted else "refused: it pays only"
    pays, worth = money_text(offer.pays_udollars), money_text(offer.worth_udollars)
    slots = f"{offer.green_slots:,} of {width * within:,} server-epochs are green"
    where = _places_text(plan, offer.places)
    return f"{does} {pays}, its places are worth {worth}\n{slots}; {where}{cut}", result


def _epochs_in_plan(plan: Plan, epoch: int, epochs: int) -> tuple[int, str]:
    """Number of the job's epochs inside the plan, and a note if that is not all of them."""
    within = min(epochs, len(plan.epochs) - epoch)
    if within == epochs:
        return within, ""
    note = (
        f"the plan ends after {within:,} of the job's {epochs:,} epochs: no later ones are priced"
    )
    return within, f"\n{note}"


def _quote_dict(plan: Plan, offer: Quote) -> dict[str, object]:
    return {
        "is_admitted": offer.is_admitted,
        "price_udollars": offer.pays_udollars,
        "value_udollars": offer.worth_udollars,
        "green_slots": offer.green_slots,
        "places": None if offer.places is None else _spans(plan, offer.places),
    }


def _cheapest(plan: Plan, epoch: int, widths: dict[int, int]) -> tuple[str, dict[str, object]]:
    from tailc.forms.plan.quote import cheapest_places, cheapest_width

    width = cheapest_width(plan, plan.free, epoch, widths)
    places = width and cheapest_places(plan, plan.free, epoch, widths[width], width)
    if width is None or places is None or isinstance(places, int):
        return _no_room(plan, epoch, widths[min(widths)]), {"width": None, "places": None}
    within, cut = _epochs_in_plan(plan, epoch, widths[width])
    text = f"{width} servers cost least; {_places_text(plan, places)}{cut}"
    result = {"width": width, "epochs_in_plan": within, "places": _spans(plan, places)}
    return text, result


def _no_room(plan: Plan, epoch: int, epochs: int) -> str:
    free = plan.free[:, epoch : epoch + epochs].sum(axis=0)
    least = int(free.argmin())
    return f"no room: in epoch {epoch + least} {free[least]:,} of {plan.servers:,} servers are free"


def _spans(plan: Plan, places: Whole) -> list[dict[str, object]]:
    from tailc.forms.plan.spans import spans_of

    return [
        {
            "pool": plan.pools[span.pool].name,
            "first_epoch": span.first_epoch,
            "epochs": span.epochs,
            "servers": span.servers,
        }
        for span in spans_of(places)
    ]


def _places_text(plan: Plan, places: Whole) -> str:
    from tailc.forms.plan.spans import spans_of
    from tailc.report.plan import places_text

    return f"by epoch {places_text(plan, spans_of(places))}"


def _source(plan: Plan, pool: int, epoch: int) -> str:
    if not plan.has_buses:
        return "mixed"
    return "green" if plan.is_green(pool, epoch) else "brown"


def _pool(plan: Plan, name: str) -> int:
    names = [pool.name for pool in plan.pools]
    if name not in names:
        raise _unknown_name("pool", name, names, "")
    return names.index(name)


def _unknown_name(noun: str, name: str, names: list[str], none: str) -> click.BadParameter:
    import difflib

    from tailc.errors import did_you_mean
    from tailc.units import shorten

    close = difflib.get_close_matches(name, names, _LISTED, cutoff=0)
    hint = did_you_mean(name, names if len(names) <= _LISTED else close) if names else none
    message = f"{noun} `{shorten(name)}` is not in the plan: {hint}"
    return click.BadParameter(message, param_hint=f"'--{noun}'")
