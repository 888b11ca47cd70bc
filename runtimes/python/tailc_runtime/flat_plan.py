"""Read a plan from a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime.flat_walk import text, vector
from tailc_runtime.raw import RawBattery, RawEpoch, RawJob, RawPlan, RawPool, RawSpan


def read_plan(form: Any) -> RawPlan:
    """The plan of an accessor."""
    terms, malleable, battery = form.Terms(), form.Malleable(), form.Battery()
    later_jobs = form.LaterJobs()
    return RawPlan(
        start_unix_s=form.StartUnixS(),
        epoch_s=form.EpochS(),
        pools=tuple(_pool(pool) for pool in vector(form, "Pools")),
        epochs=tuple(_epoch(epoch) for epoch in vector(form, "Epochs")),
        jobs=tuple(_job(job) for job in vector(form, "Jobs")),
        prices=tuple(tuple(vector(one, "Udollars")) for one in vector(form, "Prices")),
        terms=terms and (terms.GreenUdollars(), terms.BrownUdollars(), terms.PenaltyUdollars()),
        malleable=malleable and (malleable.DelayUdollars(), malleable.SlowdownPpm()),
        violations_ppm=form.ViolationsPpm(),
        battery=battery and _battery(battery),
        grid_mw=form.GridMw(),
        later_jobs=None if later_jobs is None else text(later_jobs),
    )


def _pool(pool: Any) -> RawPool:
    draws = pool.BusyMw(), pool.AsleepMw(), pool.MigrationMj()
    return RawPool(text(pool.Name()), pool.Servers(), *draws, pool.Racks())


def _epoch(epoch: Any) -> RawEpoch:
    brown = epoch.BrownUdollarsPerKwh(), epoch.BrownMgPerKwh()
    return RawEpoch(epoch.GreenMw(), *brown, epoch.FirstGreenPool(), epoch.BatteryMj())


def _job(job: Any) -> RawJob:
    spans = tuple(
        RawSpan(span.Pool(), span.FirstEpoch(), span.Epochs(), span.Servers())
        for span in vector(job, "Spans")
    )
    return RawJob(text(job.Name()), spans, job.GreenSlots())


def _battery(battery: Any) -> RawBattery:
    powers = battery.ChargeMw(), battery.DischargeMw()
    return RawBattery(battery.CapacityMj(), *powers, battery.KeptPpm(), battery.FirstMj())
