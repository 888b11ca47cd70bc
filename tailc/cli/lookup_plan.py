"""tailc lookup in a plan: where a job runs, what feeds a pool, or what another job would pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.lookup_query import (
    JobQuestion,
    PlanQuery,
    PoolQuestion,
    PoolsQuestion,
    PriceQuestion,
    given_options,
    refuse,
)
from tailc.cli.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tailc.forms.plan.plan import Plan
    from tailc.forms.plan.quote import Quote, Whole

# So many names are listed where one is not known; of more those that are closest to it.
_LISTED = 12


def looked_up(plan: Plan, query: PlanQuery) -> Outcome:
    """What the plan says of a moment, and of a job or pool in it, or of another job."""
    epoch = _epoch(plan, query.at_unix_s)
    from tailc.traces.zones import utc_text

    first = plan.start_unix_s + epoch * plan.epoch_s
    text = f"epoch {epoch} of {len(plan.epochs)}, {utc_text(first)} to "
    text += utc_text(first + plan.epoch_s)
    result: dict[str, object] = {"epoch": epoch, "first_unix_s": first}
    answer = _answer(plan, epoch, query)
    return Outcome(text=f"{text}\n{answer[0]}", result=result | answer[1])


def _answer(plan: Plan, epoch: int, query: PlanQuery) -> tuple[str, dict[str, object]]:
    match query.question:
        case JobQuestion(name):
            return _of_job(plan, epoch, name)
        case PriceQuestion() as job:
            return _priced(plan, epoch, job)
        case PoolQuestion(name):
            return _of_pools(plan, epoch, [_pool(plan, name)])
        case PoolsQuestion():
            text, result = _of_pools(plan, epoch, range(len(plan.pools)))
            told, battery = _of_battery(plan, epoch)
            return text + told, result | battery


def _epoch(plan: Plan, at_unix_s: int | None) -> int:
    from tailc.traces.zones import utc_text

    held = f"it holds from {utc_text(plan.start_unix_s)} to {utc_text(plan.end_unix_s)}"
    if at_unix_s is None:
        example = f"--at {utc_text(plan.start_unix_s)}"
        raise click.UsageError(f"a plan is by time, and {held}: give --at, such as {example}")
    epoch = plan.epoch_at(at_unix_s)
    if epoch is None:
        message = f"`{utc_text(at_unix_s)}` is outside the plan: {held}"
        raise click.BadParameter(message, param_hint="'--at'")
    return epoch


def _of_job(plan: Plan, epoch: int, name: str) -> tuple[str, dict[str, object]]:
    from tailc.units import printable

    names = [job.name for job in plan.jobs]
    if name not in names:
        raise _unknown("job", name, names, "the plan has no jobs")
    places = plan.allocation(name, epoch) or ()
    told = [
        f"{servers} of {printable(plan.pools[pool].name)} ({_source(plan, pool, epoch)})"
        for pool, servers in places
    ]
    text = f"{printable(name)}: {', '.join(told) or 'no servers'}"
    rows = [
        {
            "pool": plan.pools[pool].name,
            "servers": servers,
            "source": _source(plan, pool, epoch),
        }
        for pool, servers in places
    ]
    return text, {"job": name, "places": rows}


def _of_pools(plan: Plan, epoch: int, chosen: Sequence[int]) -> tuple[str, dict[str, object]]:
    from tailc.report.plan import money_text
    from tailc.report.table import aligned
    from tailc.units import printable

    rows, told = [("pool", "source", "free", "of", "price")], []
    for pool in chosen:
        one, free = plan.pools[pool], int(plan.free[pool, epoch])
        price, source = plan.prices[pool].udollars[epoch], _source(plan, pool, epoch)
        cells = (printable(one.name), source, f"{free:,}", f"{one.servers:,}", money_text(price))
        rows.append(cells)
        told.append(
            {
                "name": one.name,
                "source": source,
                "servers": one.servers,
                "free": free,
                "price_udollars": price,
            }
        )
    return aligned(rows, (2, 3, 4)), {"pools": told}


def _of_battery(plan: Plan, epoch: int) -> tuple[str, dict[str, object]]:
    """What the battery does in the epoch, and what it holds at its end; nothing without one."""
    from tailc.report.plan import energy_text

    if plan.battery is None:
        return "", {}
    flow_mj, stored_mj = (
        row[epoch] for row in (plan.battery_mj, plan.battery.states_mj(plan.battery_mj))
    )
    does = f"{'takes' if flow_mj >= 0 else 'gives'} {energy_text(abs(flow_mj))}"
    held = f"{energy_text(stored_mj)} of {energy_text(plan.battery.capacity_mj)}"
    result = {"battery_mj": flow_mj, "stored_mj": stored_mj}
    return f"\nthe battery {does}, and holds {held} at the end", {"battery": result}


def _priced(plan: Plan, epoch: int, job: PriceQuestion) -> tuple[str, dict[str, object]]:
    """A quote of a rigid job, or the cheapest of a malleable one's widths."""
    if len(job.epochs) != len(job.widths):
        raise click.UsageError("each --width needs its --epochs, for how many the job then runs")
    if plan.malleable is None:
        if len(job.widths) > 1:
            raise click.UsageError("jobs of this plan run on one --width")
        return _quoted(plan, epoch, job)
    green = given_options({"green": job.green_ppm})
    refuse(green, {"this plan has no green energy in its SLA": ("green",)})
    return _cheapest(plan, epoch, dict(zip(job.widths, job.epochs, strict=True)))


def _quoted(plan: Plan, epoch: int, job: PriceQuestion) -> tuple[str, dict[str, object]]:
    from tailc.forms.plan.plan import PPM
    from tailc.forms.plan.quote import RigidJob, quote
    from tailc.report.plan import money_text

    (width,), (epochs,), green_ppm = job.widths, job.epochs, job.green_ppm or 0
    if green_ppm > PPM:
        raise click.BadParameter("a share lies from 0 % to 100 %", param_hint="'--green'")
    told = quote(plan, plan.free, RigidJob(epoch, epochs, width, green_ppm))
    within, cut = _within(plan, epoch, epochs)
    result: dict[str, object] = {"quote": _quote_dict(plan, told) | {"epochs_in_plan": within}}
    if told.places is None:
        return _no_room(plan, epoch, epochs), result
    does = "admitted: it pays" if told.is_admitted else "refused: it pays only"
    pays, worth = money_text(told.pays_udollars), money_text(told.worth_udollars)
    slots = f"{told.green_slots:,} of {width * within:,} server-epochs are green"
    where = _places_text(plan, told.places)
    return f"{does} {pays}, its places are worth {worth}\n{slots}; {where}{cut}", result


def _within(plan: Plan, epoch: int, epochs: int) -> tuple[int, str]:
    """How many epochs of a job lie in the plan, and what to say where that is not all of them."""
    within = min(epochs, len(plan.epochs) - epoch)
    if within == epochs:
        return within, ""
    told = (
        f"the plan ends after {within:,} of the job's {epochs:,} epochs: no later ones are priced"
    )
    return within, f"\n{told}"


def _quote_dict(plan: Plan, told: Quote) -> dict[str, object]:
    return {
        "is_admitted": told.is_admitted,
        "price_udollars": told.pays_udollars,
        "value_udollars": told.worth_udollars,
        "green_slots": told.green_slots,
        "places": None if told.places is None else _spans(plan, told.places),
    }


def _cheapest(plan: Plan, epoch: int, widths: dict[int, int]) -> tuple[str, dict[str, object]]:
    from tailc.forms.plan.quote import cheapest_places, cheapest_width

    width = cheapest_width(plan, plan.free, epoch, widths)
    places = width and cheapest_places(plan, plan.free, epoch, widths[width], width)
    if width is None or places is None or isinstance(places, int):
        return _no_room(plan, epoch, widths[min(widths)]), {"width": None, "places": None}
    within, cut = _within(plan, epoch, widths[width])
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
        raise _unknown("pool", name, names, "")
    return names.index(name)


def _unknown(noun: str, name: str, names: list[str], none: str) -> click.BadParameter:
    import difflib

    from tailc.errors import did_you_mean
    from tailc.units import shorten

    close = difflib.get_close_matches(name, names, _LISTED, cutoff=0)
    told = did_you_mean(name, names if len(names) <= _LISTED else close) if names else none
    message = f"{noun} `{shorten(name)}` is not in the plan: {told}"
    return click.BadParameter(message, param_hint=f"'--{noun}'")
