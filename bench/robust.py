"""What tuning a table for the worst case costs as measured, and gains in the worst case.

    python -m bench.robust

On the published server (15 cores, four degrees, boosting) with ages from arrival and a gamma law of
demands, at each rate by itself: the formula's table of the best target, the table tuned for what
was measured, and the one tuned for the worst of the default cases, each with the whole default
budget. All are judged on requests that no compile saw, on the same random numbers, in every case;
intervals are Student's at 95 % over replays. Then the same of cores of several speeds, where energy
is what is made small and the SLO is kept in every case, with a budget of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import published_server as published
from bench.queue_aware import (
    FORMULA,
    PERCENTILE_PPM,
    REPEATS,
    REQUESTS,
    SEED,
    SIMULATION,
    TARGETS,
    Case,
    synthetic,
)
from bench.queue_energy import SERVERS, Server
from bench.queue_energy import compiled as compiled_on
from bench.timing import cpu_seconds, end, show
from tailc.experiment.tuning_objective import TuningObjective
from tailc.percentiles import PPM
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.report.energy import energy_text, in_watts
from tailc.report.robust import radius_line
from tailc.specs.robust import RobustSpec
from tailc.threads import thread_count
from tailc.tuning.operating_point import operating_points
from tailc.tuning.robust.comparison import MeanChange, MeanTail, compare_robust
from tailc.tuning.robust.robustness import RobustTables
from tailc.tuning.robust.uncertainty_cases import uncertainty_cases
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import tuning_sample

RATES_RPS = (40.0, 44.0)
HEADS = ("rate", "table", "p99 as measured", "worst p99", "worst case", "s (CPU s)")
CORE_REQUESTS = 60_000_000
CORE_HEADS = ("cores", "rate", "table", "p99 as measured", "worst p99", "worst case")
CORE_HEADS += ("energy", "largest energy")
CORE_CHANGES = ("cores", "rate", "price of robustness, energy", "change of the worst p99")
CHANGES = ("rate", "price of robustness", "change of the worst p99")


def compiled(case: Case, rate: float, method: str, *, robust: bool = False) -> AnyCompiled:
    with tempfile.TemporaryDirectory() as folder:
        spec = case.spec(Path(folder), method, TARGETS, [rate], None, ())
        return compile_policy(spec, overrides={"robust": RobustSpec()} if robust else {})


def timed(case: Case, rate: float, method: str, *, robust: bool = False) -> tuple[AnyCompiled, str]:
    begun = time.perf_counter(), cpu_seconds()
    found = compiled(case, rate, method, robust=robust)
    spent = time.perf_counter() - begun[0], cpu_seconds() - begun[1]
    return found, f"{spent[0]:.0f} ({spent[1]:.0f})"


def rows(case: Case, rate: float) -> Iterator[tuple[tuple[str, ...], ...]]:
    """First the three tables, then what changes from the plain one to the robust one."""
    formula, of_formula = timed(case, rate, FORMULA)
    plain, of_plain = timed(case, rate, SIMULATION)
    robust, of_robust = timed(case, rate, SIMULATION, robust=True)
    first, second, third = (one.policy.ladders[0] for one in (formula, plain, robust))
    cases = uncertainty_cases(case.workload(), RobustSpec().ambiguity, None)
    aim = TuningObjective(PERCENTILE_PPM, (round(rate * 1e3),), (1,), 1)
    with ThreadPoolExecutor(thread_count(None)) as workers:
        trials = tuning_sample(
            [scene for one in cases for scene in operating_points(one.load, aim)],
            PERCENTILE_PPM,
            published.CORES,
            requests=REQUESTS,
            repeats=REPEATS,
            seed=SEED,
            workers=workers,
            subject_of=ladder_subject,
        )
        (found,) = compare_robust(ScaledTable(first), second, ScaledTable(third), trials, aim).rates
    stands = (
        ("best target", found.formula, of_formula),
        ("plain", found.plain, of_plain),
        ("robust", found.robust, of_robust),
    )
    at = f"{rate:g}/s"
    yield tuple(
        (at, name, tail_text(one.nominal), tail_text(one.worst), cases[one.case].name, spent)
        for name, one, spent in stands
    )
    yield ((at, change_text(found.price), change_text(found.gain)),)
    print(f"{at}, the robust table stands {radius_line(robust.policy.evidence)}")


def energy_rows(server: Server) -> Iterator[tuple[str, ...]]:
    """At one rate: as the compile judged them, on records that its searches did not see."""
    rate = server.rates[-1]
    found = compiled_on(server, (rate,), CORE_REQUESTS, {"robust": RobustSpec()})
    (robust,) = found.additions_of(RobustTables)
    hard = robust.hardened
    (stands,) = hard.compared.rates
    at = server.name, f"{rate:g}/s"
    tables = ("formula", stands.formula), ("plain", stands.plain), ("robust", stands.robust)
    is_watts = in_watts(found.policy.evidence)
    for name, one in tables:
        assert one.drawn is not None
        drawn = (energy_text(each, is_watts) for each in (one.drawn.nominal, one.drawn.most))
        yield (
            *at,
            name,
            tail_text(one.nominal),
            tail_text(one.worst),
            hard.cases[one.case],
            *drawn,
        )
    yield (*at, change_text(stands.price), change_text(stands.gain))
    part_ppm = hard.compared.formula_part_ppm
    part = "no part" if part_ppm is None else f"{part_ppm / PPM:.1%}"
    stood = radius_line(found.policy.evidence)
    taken = "taken" if hard.compared.is_better else "not taken"
    print(f"{server.name}: {part} of the formula's ages; {taken}; it stands {stood}")


def tail_text(tail: MeanTail) -> str:
    return f"{tail.us / 1e3:.1f} ({tail.low_us / 1e3:.1f} .. {tail.high_us / 1e3:.1f})"


def change_text(change: MeanChange | None) -> str:
    if change is None:
        return "overloaded"
    mean, low, high = (ppm / 1e4 for ppm in (change.ppm, change.low_ppm, change.high_ppm))
    return f"{mean:+.1f} % ({low:+.1f} .. {high:+.1f})"


def main() -> None:
    case = synthetic()
    found = [tuple(rows(case, rate)) for rate in RATES_RPS]
    show(HEADS, [row for stands, _ in found for row in stands])
    show(CHANGES, [row for _, changes in found for row in changes])
    on_cores = [tuple(energy_rows(server)) for server in SERVERS]
    show(CORE_HEADS, [row for *stands, _ in on_cores for row in stands])
    show(CORE_CHANGES, [changes for *_, changes in on_cores])
    end()


if __name__ == "__main__":
    main()
