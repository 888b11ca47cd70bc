"""Cross-fit the choice of few-to-many's default method on small design samples, in five folds.

    python -m bench.cross_fit [--rows 300] [--laws lognormal,pareto-1.5,bimodal] [--samples 2]

For each law and sample on 4 cores: deal the rows to five folds, so that neighbours in size are in
different folds. For each fold, compile the other four and replay the table on the fold, beside the
tables that need no search. Cross-fitting takes the default or one of these tables: what has the
least mean log ratio over all folds and rates. A line has the table that the default takes on all
rows, the one by cross-fitting, and the change of p99 of each against the best by hindsight on a
held-out sample; then for how many rates the interval contains the held-out p99: that of the compile
(bootstrap), and Student's over the folds.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.default_cells import (
    HELD_OUT_ROWS,
    LAWS,
    LOADS,
    MOST_THREADS,
    PERCENTILE_PPM,
    REPLAYS,
    REQUESTS,
    SPEC,
)
from bench.timing import end
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.workload import Workload
from tailc.pipeline.auto.choice import AutoResult
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.traces.amdahl import amdahl
from tailc.tuning.operating_point import operating_points
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import tuning_sample

CORES, SHARED, FOLDS = 4, 0.8, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--laws", default="lognormal,pareto-1.5,bimodal")
    parser.add_argument("--samples", type=int, default=2)
    asked = parser.parse_args()
    for law, number in product(asked.laws.split(","), range(1, asked.samples + 1)):
        print(f"{law} {number}, {asked.rows} rows: {_line(law, number, asked.rows)}", flush=True)
    end()


def _line(law: str, number: int, rows: int) -> str:
    draw = np.random.default_rng([list(LAWS).index(law), number, rows])
    demand_ms, apart_ms = LAWS[law](draw, rows), LAWS[law](draw, HELD_OUT_ROWS)
    rates = [CORES * 1e3 * load / float(demand_ms.mean()) for load in LOADS]
    compiled = _compiled(demand_ms, rates)
    (chosen,) = compiled.additions_of(AutoResult)
    best, others = chosen.best, [one.table for one in chosen.best.others]
    names = [best.option.name, *(one.name for one in best.others)]
    held_out_us = _tails_us(compiled, apart_ms, [*compiled.policy.ladders, *others])
    folds = _folds(demand_ms)
    on_folds_us = []
    for fold in range(FOLDS):
        searched = _compiled(demand_ms[folds != fold], rates).policy.ladders
        on_folds_us.append(_tails_us(compiled, demand_ms[folds == fold], [*searched, *others]))
    tails_us = np.array(on_folds_us)
    cross_fitted = int(
        np.log(tails_us / tails_us[:, 1:].min(axis=1)[:, None]).mean((0, 2)).argmin()
    )
    change = (held_out_us / held_out_us[1:].min(axis=0) - 1).mean(axis=1)
    truth_us = held_out_us[0]
    return (
        f"{names[0]} {change[0]:+.1%}, cross-fitted {names[cross_fitted]} "
        f"{change[cross_fitted]:+.1%}; covered {_by_bootstrap(compiled, truth_us)} and "
        f"{_by_folds(tails_us[:, 0], truth_us)} of {len(rates)}"
    )


def _compiled(demand_ms: NDArray[np.float64], rates: list[float]) -> AnyCompiled:
    curve = [round(one, 3) for one in amdahl(SHARED, MOST_THREADS[CORES])]
    written = "[" + ", ".join(f"{rate:.0f}/s" for rate in rates) + "]"
    spec = SPEC.format(speedup=curve, cores=CORES, target=6, effort="quick", rates=written)
    with tempfile.TemporaryDirectory() as folder:
        lines = "\n".join(f"{one:.6f}" for one in demand_ms)
        Path(folder, "design.csv").write_text(f"demand_ms\n{lines}\n", encoding="utf-8")
        path = Path(folder, "spec.yaml")
        path.write_text(spec, encoding="utf-8")
        return compile_policy(str(path), threads=1, judging=Judging(allows_misses=True))


def _folds(demand_ms: NDArray[np.float64]) -> NDArray[np.int64]:
    """The fold of each row."""
    draw, folds = np.random.default_rng(3), np.empty(len(demand_ms), np.int64)
    by_size = np.argsort(demand_ms, kind="stable")
    for first in range(0, len(by_size), FOLDS):
        neighbours = by_size[first : first + FOLDS]
        folds[neighbours] = draw.permutation(FOLDS)[: len(neighbours)]
    return folds


def _tails_us(
    compiled: AnyCompiled, demand_ms: NDArray[np.float64], tables: list[Ladder]
) -> NDArray[np.float64]:
    """float64 (tables, rates), on replays of these demands."""
    (table,), rates = compiled.policy.ladders, compiled.policy.rates_mrps
    objective = TuningObjective(PERCENTILE_PPM, rates, (1,) * len(rates), 1)
    rows, work_ns = len(demand_ms), np.rint(demand_ms * 1e6).astype(np.int64)
    speed = np.array([[rung.speed_ppm / 1e6 for rung in table.rungs]])
    load = Workload(work_ns, np.ones(rows, np.int64), np.zeros(rows, np.int32), speed)
    with ThreadPoolExecutor(1) as workers:
        sample = tuning_sample(
            operating_points(load, objective),
            PERCENTILE_PPM,
            CORES,
            requests=REQUESTS,
            repeats=REPLAYS,
            seed=7,
            workers=workers,
            subject_of=ladder_subject,
        )
        return sample.tails_us([replace(one, rungs=table.rungs) for one in tables]).mean(axis=2)


def _by_bootstrap(compiled: AnyCompiled, truth_us: NDArray[np.float64]) -> int:
    estimates = compiled.policy.evidence.estimates
    assert estimates is not None
    return sum(
        row.low_us <= truth and (row.high_us is None or truth <= row.high_us)
        for row, truth in zip(estimates.rows, truth_us.tolist(), strict=True)
    )


def _by_folds(tails_us: NDArray[np.float64], truth_us: NDArray[np.float64]) -> int:
    """tails_us: float64 (folds, rates)."""
    covered = 0
    for rate_us, truth in zip(tails_us.T.tolist(), truth_us.tolist(), strict=True):
        mean, half = mean_and_half(rate_us)
        covered += half is not None and abs(truth - mean) <= half
    return covered


if __name__ == "__main__":
    main()
