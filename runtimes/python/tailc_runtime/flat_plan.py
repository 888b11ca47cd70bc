"""A plan out of a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime.flat_walk import Walk
from tailc_runtime.raw import RawBattery, RawEpoch, RawJob, RawPlan, RawPool, RawSpan


def read_plan(walk: Walk, form: Any) -> RawPlan:
    """The plan behind an accessor."""
    terms, malleable, battery = form.Terms(), form.Malleable(), form.Battery()
    return RawPlan(
        start_unix_s=form.StartUnixS(),
        epoch_s=form.EpochS(),
        pools=tuple(_pool(walk, pool) for pool in walk.vector(form, "Pools")),
        epochs=tuple(_epoch(epoch) for epoch in walk.vector(form, "Epochs")),
        jobs=tuple(_job(walk, job) for job in walk.vector(form, "Jobs")),
        prices=tuple(tuple(walk.vector(one, "Udollars")) for one in walk.vector(form, "Prices")),
        terms=terms and (terms.GreenUdollars(), terms.BrownUdollars(), terms.PenaltyUdollars()),
        malleable=malleable and (malleable.DelayUdollars(), malleable.SlowdownPpm()),
        violations_ppm=form.ViolationsPpm(),
        battery=battery and _battery(battery),
    )


def _pool(walk: Walk, pool: Any) -> RawPool:
    draws = pool.BusyMw(), pool.AsleepMw(), pool.MigrationMj()
    return RawPool(walk.text(pool.Name()), pool.Servers(), *draws, pool.Racks())


def _epoch(epoch: Any) -> RawEpoch:
    brown = epoch.BrownUdollarsPerKwh(), epoch.BrownMgPerKwh()
    return RawEpoch(epoch.GreenMw(), *brown, epoch.FirstGreenPool(), epoch.BatteryMj())


def _job(walk: Walk, job: Any) -> RawJob:
    spans = tuple(
        RawSpan(span.Pool(), span.FirstEpoch(), span.Epochs(), span.Servers())
        for span in walk.vector(job, "Spans")
    )
    return RawJob(walk.text(job.Name()), spans, job.GreenSlots())


def _battery(battery: Any) -> RawBattery:
    powers = battery.ChargeMw(), battery.DischargeMw()
    return RawBattery(battery.CapacityMj(), *powers, battery.KeptPpm(), battery.FirstMj())
