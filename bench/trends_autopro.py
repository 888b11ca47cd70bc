"""The published figures of AutoPro beside ours, on machines after what its workloads are like.

    python -m bench.trends_autopro

Thirty runs of each setting, three minutes each. `bench.share_workloads` has the machines, and
docs/published-results.md says why ours differ; the letters are its notes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.shares.least_squares import least_squares

from bench.share_workloads import (
    APPLICATIONS,
    BY_NAME,
    STEPS,
    Application,
    machine,
    plant,
    shares_of,
)
from bench.timing import show
from tailc.forms.shares import PPM, Machine, ShareLaw
from tailc.forms.shares_step import first_state, tick
from tailc.models.cpu_shares.outcome import CpuSharesOutcome
from tailc.models.cpu_shares.plant import HostMachines, replay
from tailc.models.cpu_shares.static_shares import best_static

RUNS = 30
PERCENT = 100
BATCH = Machine("psearchy-like", None, 0, 1)
Floats = NDArray[np.float64]


def main() -> None:
    model_alone()
    model_in_pairs()
    single()
    pairs_with_batch()
    case_study()
    laws()
    forgetting()
    step_time()


@functools.cache
def reference(each: Application) -> float:
    """Mean throughput alone on the whole host."""
    return float(np.mean([_alone(each, seed, np.ones((1, STEPS))) for seed in range(RUNS)]))


def _alone(each: Application, seed: int, given: Floats) -> float:
    shares = shares_of([machine(each, each.work)])
    return float(replay(shares, plant([each], 1000 + seed), given).throughput[0, 1:].mean())


def model_alone() -> None:
    """Shares drawn anew at each step; least squares over the same run against the estimate."""
    rows = []
    for each in APPLICATIONS:
        found = [_model_errors([each], seed)[0] for seed in range(RUNS)]
        online, offline = np.array(found).T
        rows.append((each.name, _spread(online), _spread(offline)))
    show(("model alone: MAPE, median (least to most)", "online", "least squares"), rows)


def model_in_pairs() -> None:
    rows = []
    found: dict[str, list[tuple[float, float]]] = {each.name: [] for each in APPLICATIONS}
    for one, other in itertools.combinations_with_replacement(APPLICATIONS, 2):
        for seed in range(RUNS):
            both = _model_errors([one, replace(other, name=f"{other.name} 2")], seed)
            found[one.name].append(both[0])
            found[other.name].append(both[1])
    for name, errors in found.items():
        online, offline = np.array(errors).T
        rows.append((name, _spread(online), _spread(offline)))
    show(("model in pairs: MAPE, median (least to most)", "online", "least squares"), rows)


def _model_errors(applications: Sequence[Application], seed: int) -> list[tuple[float, float]]:
    """Of each: what the estimated model and that of least squares over the run are off."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(0.1, 1.0 if len(applications) == 1 else 0.9, STEPS)
    given = np.array([first]) if len(applications) == 1 else np.array([first, 1 - first])
    machines = [machine(each, reference(BY_NAME[_plain(each.name)])) for each in applications]
    shares = shares_of(machines, host_ppm=PPM)
    outcome = replay(shares, plant(applications, seed), given)
    errors = []
    for at in range(len(applications)):
        t, r = outcome.throughput[at, 1:], outcome.share[at, 1:]
        model = least_squares(t[:-1], r[1:], t[1:])
        assert model is not None
        said = model.a * t[:-1] + model.b * r[1:]
        counted = t[1:] > 0
        offline = float(np.abs(said[counted] / t[1:][counted] - 1).mean())
        errors.append((float(outcome.model_error(outcome.online)[at]), offline))
    return errors


def _plain(name: str) -> str:
    return name.removesuffix(" 2")


def single() -> None:
    """One machine at a part of what it does with the whole host, alone."""
    parts = (0.3, 0.5, 0.7, 0.9)
    rows = []
    for each in APPLICATIONS:
        cells = [each.name]
        for part in parts:
            shares = shares_of([machine(each, part * reference(each))])
            errors = [_slo(replay(shares, plant([each], seed)))[0] for seed in range(RUNS)]
            cells.append(_spread(np.array(errors)))
        rows.append(cells)
    heads = [f"{part:.0%}" for part in parts]
    show(("one machine: MAPE of the target, median (least to most)", *heads), rows)


def pairs_with_batch() -> None:
    """Two machines at x and 80 - x per cent, and batch work that has what is left."""
    found: dict[tuple[str, float], list[float]] = {}
    utilization: list[float] = []
    for part in (0.3, 0.4, 0.5):
        for one, other in itertools.product(APPLICATIONS, APPLICATIONS):
            second = replace(other, name=f"{other.name} 2")
            machines = [
                machine(one, part * reference(one)),
                machine(second, (0.8 - part) * reference(other)),
                BATCH,
            ]
            for seed in range(RUNS):
                outcome = replay(shares_of(machines), plant([one, second], seed))
                found.setdefault((one.name, part), []).append(float(_slo(outcome)[0]))
                utilization.append(outcome.utilization)
    rows = []
    for each in APPLICATIONS:
        cells = [each.name]
        for part in (0.3, 0.4, 0.5):
            errors = np.array(found[each.name, part])
            cells.append(f"{_percent(np.median(errors))}, {_percent(np.quantile(errors, 0.9))}")
        rows.append(cells)
    heads = ("two and batch work: MAPE, median and 90th percentile", "30 %", "40 %", "50 %")
    show(heads, rows)
    print(f"granted on average: {np.mean(utilization):.2%}, least run {min(utilization):.2%}\n")


def case_study() -> None:
    """Two machines on six cores, scenarios A to F; errors are 95th percentiles of 30 runs."""
    two = (BY_NAME["swaptions-like"], BY_NAME["x264-like"])
    # So that 1.5 and 2.4 of six cores are about right, as published.
    targets = (0.25 * reference(two[0]), 0.40 * reference(two[1]))
    machines = [machine(each, target) for each, target in zip(two, targets, strict=True)]
    whole = shares_of(machines)
    with_batch = shares_of([*machines, BATCH])
    rows = []

    def add_row(
        name: str, run: Callable[[int], CpuSharesOutcome], batch: float | None = None
    ) -> None:
        outcomes = [run(seed) for seed in range(RUNS)]
        errors = np.quantile([_slo(outcome) for outcome in outcomes], 0.95, axis=0)
        granted = np.mean([outcome.share.sum(axis=0).mean() for outcome in outcomes])
        left = batch if batch is not None else np.mean([o.batch_share.mean() for o in outcomes])
        shares = np.mean([outcome.share.mean(axis=1) for outcome in outcomes], axis=0)
        cells = [_percent(error) for error in errors]
        if len(cells) == 1:
            cells.insert(0 if "x264" in name else 1, "")
        cores = ", ".join(f"{6 * share:.2f}" for share in shares)
        rows.append((name, _percent(granted + left), *cells, _percent(left), cores))

    asked = np.array([[2 / 6], [3 / 6]])
    for at, each in enumerate(two):
        alone = shares_of([machines[at]])
        given = np.full((1, STEPS), asked[at, 0])
        add_row(
            f"A, B: {each.name} alone, {asked[at, 0]:.0%}",
            lambda seed, alone=alone, each=each, given=given: replay(
                alone, plant([each], seed), given
            ),
            0.0,
        )
    both = np.broadcast_to(asked, (2, STEPS))
    add_row("C: together", lambda seed: replay(whole, plant(two, seed), both), 0.0)
    add_row("D: and batch work", lambda seed: replay(with_batch, plant(two, seed), both))
    best = np.mean([best_static(with_batch, plant(two, seed)).shares for seed in range(8)], axis=0)
    static = np.broadcast_to(best[:, None], (2, STEPS))
    add_row("E: best static shares", lambda seed: replay(with_batch, plant(two, seed), static))
    add_row("F: AutoPro", lambda seed: replay(with_batch, plant(two, seed)))
    observer = replace(with_batch, law=ShareLaw.OBSERVER)
    add_row("F with the observer", lambda seed: replay(observer, plant(two, seed)))
    heads = ("case study", "granted", "swaptions", "x264", "batch", "cores of six")
    show(heads, rows)


def laws() -> None:
    """Both laws on a machine that remembers: its work changes, jitters, or is knocked at times."""
    rows = []
    for a in (0.1, 0.4, 0.7):
        for what, changed in (
            ("phases", {"phases": (1.3, 0.75, 1.0)}),
            ("noise of 3 %", {"noise": 0.03}),
            ("knocks", {"noise": 0.01}),
        ):
            each = replace(Application("any", 100.0, a=a), **changed)
            cells = [f"a = {a:g}, {what}"]
            for law in ShareLaw:
                shares = shares_of([machine(each, 50.0)], law)
                world = _knocked if what == "knocks" else _as_it_is
                errors = [
                    _slo(replay(shares, world(plant([each], seed), seed)))[0]
                    for seed in range(RUNS)
                ]
                cells.append(_percent(np.mean(errors)))
            rows.append(cells)
    show(("MAPE of the target, mean", *(law.value for law in ShareLaw)), rows)


def _as_it_is(world: HostMachines, _seed: int) -> HostMachines:
    return world


def _knocked(world: HostMachines, seed: int) -> HostMachines:
    """One step in twenty, at random, does 40 % less than it would."""
    rng = np.random.default_rng(seed)
    is_knocked = rng.random(world.steps) < 0.05
    return replace(world, disturbed=world.disturbed * np.where(is_knocked, 0.6, 1.0))


def forgetting() -> None:
    """What old samples are worth: MAPE of the target on a steady and on a changing machine."""
    rows = []
    for ppm in (900_000, 950_000, 970_000, 980_000, 990_000, 1_000_000):
        cells = [f"{ppm / PPM:g}"]
        for name in ("swaptions-like", "bodytrack-like", "ferret-like", "x264-like"):
            each = BY_NAME[name]
            shares = shares_of([machine(each, 0.5 * reference(each))], forgetting_ppm=ppm)
            errors = [_slo(replay(shares, plant([each], seed)))[0] for seed in range(RUNS)]
            cells.append(_percent(np.mean(errors)))
        rows.append(cells)
    show(("forgetting", "swaptions", "bodytrack", "ferret", "x264"), rows)


def step_time() -> None:
    """An estimate and a decision for two machines and batch work."""
    import time

    two = [machine(BY_NAME[name], 10.0) for name in ("swaptions-like", "x264-like")]
    shares = shares_of([*two, BATCH], estimate_us=750_000)
    state, measured, steps = first_state(shares), [9.0, 11.0], 20_000
    begun = time.perf_counter()
    for _ in range(steps):
        state = tick(shares, state, measured)
    plain = (time.perf_counter() - begun) / steps
    world = plant([BY_NAME["swaptions-like"], BY_NAME["x264-like"]], 1, steps=200_000)
    replay(shares, world)
    begun = time.perf_counter()
    replay(shares, world)
    compiled = (time.perf_counter() - begun) / world.steps
    rows = [
        ("reference, plain Python", f"{plain * 1e6:.1f} us"),
        ("replay, compiled, its machines included", f"{compiled * 1e6:.2f} us"),
    ]
    show(("estimate and step of two machines", "time"), rows)


def _slo(outcome: CpuSharesOutcome) -> Floats:
    return outcome.slo_error


def _spread(errors: Floats) -> str:
    low, middle, high = np.quantile(errors, [0, 0.5, 1])
    return f"{middle * PERCENT:.1f} ({low * PERCENT:.1f} to {high * PERCENT:.1f}) %"


def _percent(value: float) -> str:
    return f"{value * PERCENT:.1f} %"


if __name__ == "__main__":
    main()
