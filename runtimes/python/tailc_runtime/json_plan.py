"""Convert a plan from JSON."""

from __future__ import annotations

from typing import Any

from tailc_runtime.members import object_in, objects, refuse_others, text, whole, wholes
from tailc_runtime.raw import RawBattery, RawEpoch, RawJob, RawPlan, RawPool, RawSpan

_DRAWS = ("busy_mw", "asleep_mw", "migration_mj")
_POOL = ("name", "servers", *_DRAWS, "racks")
_SUPPLY = ("green_mw", "brown_udollars_per_kwh", "brown_mg_per_kwh")
_EPOCH = (*_SUPPLY, "first_green_pool", "battery_mj")
_JOB = ("name", "spans", "green_slots")
_PRICES = ("udollars",)
_TERMS = ("green_udollars", "brown_udollars", "penalty_udollars")
_MALLEABLE = ("delay_udollars", "slowdown_ppm")
_PLAN = (
    *("form", "start_unix_s", "epoch_s", "pools", "epochs", "jobs"),
    *("prices", "terms", "malleable", "violations_ppm", "battery"),
    *("grid_mw", "later_jobs"),
)


def plan_in(form: dict[str, Any]) -> RawPlan:
    """The plan in a JSON object."""
    return RawPlan(
        start_unix_s=whole(form, "start_unix_s"),
        epoch_s=whole(form, "epoch_s"),
        pools=tuple(_pool(pool) for pool in objects(form, "pools")),
        epochs=tuple(_epoch(epoch) for epoch in objects(form, "epochs")),
        jobs=tuple(_job(job) for job in objects(form, "jobs")),
        prices=tuple(wholes(one, "udollars") for one in objects(form, "prices")),
        terms=_terms(object_in(form, "terms")) if "terms" in form else None,
        malleable=_malleable(object_in(form, "malleable")) if "malleable" in form else None,
        violations_ppm=whole(form, "violations_ppm"),
        battery=_battery(object_in(form, "battery")) if "battery" in form else None,
        grid_mw=whole(form, "grid_mw") if "grid_mw" in form else None,
        later_jobs=text(form, "later_jobs") if "later_jobs" in form else None,
    )


def refuse_unknown_in_plan(form: dict[str, Any]) -> None:
    """Refuse members that only a later minor version can have."""
    refuse_others(form, _PLAN)
    refuse_others(form.get("terms", {}), _TERMS)
    refuse_others(form.get("malleable", {}), _MALLEABLE)
    refuse_others(form.get("battery", {}), RawBattery._fields)
    for name, known in (("pools", _POOL), ("epochs", _EPOCH), ("prices", _PRICES), ("jobs", _JOB)):
        for part in form[name]:
            refuse_others(part, known)
    for job in form["jobs"]:
        for span in job["spans"]:
            refuse_others(span, RawSpan._fields)


def _pool(pool: dict[str, Any]) -> RawPool:
    busy_mw, asleep_mw, migration_mj = (whole(pool, name) for name in _DRAWS)
    racks = whole(pool, "racks") if "racks" in pool else None
    name, servers = text(pool, "name"), whole(pool, "servers")
    return RawPool(name, servers, busy_mw, asleep_mw, migration_mj, racks)


def _epoch(epoch: dict[str, Any]) -> RawEpoch:
    green_mw, price, carbon = (whole(epoch, name) for name in _SUPPLY)
    first, battery_mj = (
        whole(epoch, name) if name in epoch else None for name in ("first_green_pool", "battery_mj")
    )
    return RawEpoch(green_mw, price, carbon, first, battery_mj)


def _job(job: dict[str, Any]) -> RawJob:
    spans = tuple(
        RawSpan(*(whole(span, name) for name in RawSpan._fields)) for span in objects(job, "spans")
    )
    return RawJob(text(job, "name"), spans, whole(job, "green_slots"))


def _terms(terms: dict[str, Any]) -> tuple[int, int, int]:
    green, brown, penalty = (whole(terms, name) for name in _TERMS)
    return green, brown, penalty


def _malleable(malleable: dict[str, Any]) -> tuple[int, int]:
    return whole(malleable, "delay_udollars"), whole(malleable, "slowdown_ppm")


def _battery(battery: dict[str, Any]) -> RawBattery:
    return RawBattery(*(whole(battery, name) for name in RawBattery._fields))
