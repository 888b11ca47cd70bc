"""Describe the settings of a plan and of each of its epochs, as text by name."""

from __future__ import annotations

from tailc.forms.plan.plan import Malleable, Plan, Pool, Terms
from tailc.traces.zones import utc_text
from tailc.units import format_mw, format_ppm, plain_ppm, plural


def summary_of(plan: Plan | None) -> str | None:
    """Summarize a plan in a few words; None without a plan."""
    if plan is None:
        return None
    jobs, epochs = plural(len(plan.jobs), "job"), plural(len(plan.epochs), "epoch")
    return f"{jobs} in {epochs} from {utc_text(plan.start_unix_s)}"


def plan_settings(plan: Plan, first: int, rule: str | None) -> dict[str, str]:
    """Describe all settings of a plan except epochs, prices and jobs, as text by name.

    first: first compared epoch. The charge of a battery is given for that epoch, so that a plan
    made later does not differ by it. rule: for jobs that the plan does not include; None: prices.
    """
    pools = [_pool(pool) for pool in plan.pools]
    return {
        "horizon": f"{utc_text(plan.start_unix_s)} to {utc_text(plan.end_unix_s)}",
        "epoch": f"{plan.epoch_s} s",
        "pools": ", ".join(pool.name for pool in plan.pools),
        **{what: said for pool in pools for what, said in pool.items()},
        **_rigid(plan.terms),
        **_malleable(plan.malleable),
        "jobs that may miss": format_ppm(plan.violations_ppm),
        "later jobs": f"by {rule or 'prices'}",
        "power of the grid": "none" if plan.grid_mw is None else format_mw(plan.grid_mw),
        **_battery(plan, first),
    }


def epoch_settings(plan: Plan, number: int) -> dict[str, str]:
    """Describe the forecast of one epoch of a plan, and its prices, as text by name."""
    epoch, first = plan.epochs[number], plan.epochs[number].first_green_pool
    green = [pool.name for pool in plan.pools[first:]] if first is not None else ["one bus"]
    return {
        "green power": format_mw(epoch.green_mw),
        "brown price": f"{_signed_money(epoch.brown_udollars_per_kwh)}/kWh",
        "CO2": f"{epoch.brown_mg_per_kwh} mg/kWh",
        "green bus": ", ".join(green) or "none",
        **_flow(epoch.battery_mj),
        **{
            f"price of {pool.name}": f"${plain_ppm(prices.udollars[number])}"
            for pool, prices in zip(plan.pools, plan.prices, strict=True)
        },
    }


def _signed_money(udollars: int) -> str:
    return f"{'-' if udollars < 0 else ''}${plain_ppm(abs(udollars))}"


def _pool(pool: Pool) -> dict[str, str]:
    racks = "" if pool.racks is None else f" in {plural(pool.racks, 'rack')}"
    return {
        f"servers of {pool.name}": f"{pool.servers}{racks}",
        f"power of {pool.name}": f"{format_mw(pool.busy_mw)}, asleep {format_mw(pool.asleep_mw)}",
        f"a move to {pool.name}": f"{pool.migration_mj} mJ",
    }


def _battery(plan: Plan, first: int) -> dict[str, str]:
    battery = plan.battery
    if battery is None:
        return {"battery": "none"}
    held_mj = (battery.first_mj, *battery.states_mj(plan.battery_mj[:first]))[-1]
    charge, discharge = format_mw(battery.charge_mw), format_mw(battery.discharge_mw)
    return {
        "battery": f"{battery.capacity_mj} mJ",
        "stored in the battery at first": f"{held_mj} mJ",
        "power of the battery": f"charges at up to {charge}, discharges at up to {discharge}",
        "share that the battery stores": format_ppm(battery.kept_ppm),
    }


def _flow(battery_mj: int | None) -> dict[str, str]:
    if battery_mj is None:
        return {}
    does = "takes" if battery_mj >= 0 else "gives"
    return {"battery": f"{does} {abs(battery_mj)} mJ"}


def _rigid(terms: Terms | None) -> dict[str, str]:
    if terms is None:
        return {}
    return {
        "jobs": "rigid",
        "fee of a green slot": f"${plain_ppm(terms.green_udollars)}",
        "fee of another slot": f"${plain_ppm(terms.brown_udollars)}",
        "penalty": f"${plain_ppm(terms.penalty_udollars)}",
    }


def _malleable(malleable: Malleable | None) -> dict[str, str]:
    if malleable is None:
        return {}
    return {
        "jobs": "malleable",
        "an epoch of delay": f"${plain_ppm(malleable.delay_udollars)}",
        "slowdown": plain_ppm(malleable.slowdown_ppm),
    }
