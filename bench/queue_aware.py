"""What tuning a table on the replay gains over the best target of the formula.

    python -m bench.queue_aware
    python -m bench.queue_aware --budgets
    python -m bench.queue_aware --rate
    python -m bench.queue_aware --unboosted
    TAILC_DATA=... python -m bench.queue_aware --traces

On the published server (15 cores, four degrees, boosting) with ages from arrival: the formula's
table for target 24, the best of targets 12 to 28 for each rate, and the tuned table; for each rate
alone, and one table for several rates. With --unboosted the same for each rate on a server that
boosts no thread; then where requests look each millisecond whether to climb, and where they start
by the threads in use. With --budgets how much of that a search finds that simulates fewer requests,
from the least on, and in what time. With --rate the highest rate that keeps the percentile under a
latency, of each. Under TAILC_DATA, the same on public traces at rates that keep a part of the cores
busy on one thread each. All are judged on requests that no compile saw, on the same random numbers;
intervals are Student's at 95 % over replays.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench import public_data
from bench import published_server as published
from bench.timing import cpu_seconds, end, show
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.clairvoyant.server import shared_server
from tailc.models.workload import NS_PER_MS, Workload
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.report.judging import OVERLOADED
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.tuning.highest_rate import HighestRate, RateComparison, compare_rates, highest_rate
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.rate_sample import rate_sample
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuning_problem import ladder_problem, ladder_subject
from tailc.tuning.tuning_sample import TuningSample, tuning_sample
from tailc.tuning.validation import RateGain, validate_table

FORMULA, SIMULATION = "dual", "simulation"
BEGINNING = f", formula_method: {FORMULA}"
SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: queue-aware
slo: [{{percentile: 99%, latency: {latency_ms:.3f}ms}}]
demand:
  trace: design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: core
speedup: [1, 1.9, 2.65, 3.2]
server: {{cores: 15, target_parallelism: {targets}, quantum: {quantum}, {others}}}
search: {{method: {method}{objective}{budget}{optional_rules}}}
rates: [{rates}]
"""
TARGETS = list(range(12, 29))
PAPER_TARGET = 24
PERCENTILE_PPM = 990_000
REQUESTS, REPEATS, SEED = 40_000, 12, 7
RECORDS = 20_000
RATES_RPS = (30.0, 40.0, 44.0)
WIDE_RPS = (10.0, 20.0, 30.0, 40.0, 44.0, 50.0)
LOADED_RPS = (40.0, 44.0)
# Latencies under which the percentile is kept, and the range in which the highest rate is.
LATENCIES_MS, RANGE_RPS = (350, 400, 500), (15.0, 57.0)
BUDGETS = (7_500_000, 15_000_000, 30_000_000, 100_000_000, 300_000_000)
BUSY = (0.47, 0.62, 0.69)
"""Utilizations of those rates, with one thread a request."""


@dataclass(frozen=True, eq=False)
class Case:
    """Demands to compile from, and others to judge on [ms].

    boosts: whether the server may. quantum_us: how often a request looks whether to climb; None for
    as small beside the demand as the published one.
    """

    name: str
    design_ms: np.ndarray
    held_out_ms: np.ndarray
    boosts: bool = True
    quantum_us: int | None = None

    @property
    def rates_rps(self) -> tuple[float, ...]:
        """Those at which so much of the cores is busy."""
        full_rps = published.CORES * 1e3 / float(self.design_ms.mean())
        return tuple(round(busy * full_rps, 3) for busy in BUSY)

    def spec(
        self,
        folder: Path,
        method: str,
        targets: object,
        rates: Sequence[float],
        budget: int | None,
        optional_rules: Sequence[str],
    ) -> str:
        """Its path, written beside the trace."""
        path = folder / "spec.yaml"
        pq.write_table(pa.table({"demand_ms": self.design_ms}), folder / "design.parquet")
        mean_ms = float(self.design_ms.mean())
        quantum_us = self.quantum_us or max(round(mean_ms * 1e3 / 47), 1)
        text = SPEC.format(
            latency_ms=2 * mean_ms,
            targets=targets,
            quantum=f"{quantum_us}us",
            others=self.others,
            method=method,
            objective="" if method == FORMULA else BEGINNING,
            budget=_budget_text(budget),
            optional_rules=_rules_text(optional_rules),
            rates=", ".join(f"{rate}/s" for rate in rates),
        )
        path.write_text(text)
        return str(path)

    def table(
        self,
        method: str,
        targets: object,
        rates: Sequence[float],
        budget: int | None = None,
        optional_rules: Sequence[str] = (),
    ) -> Ladder:
        """Compiled."""
        with tempfile.TemporaryDirectory() as folder:
            spec = self.spec(Path(folder), method, targets, rates, budget, optional_rules)
            return compile_policy(spec).policy.ladders[0]

    def for_rate(
        self,
        latency_ms: int,
        targets: object,
        budget: int | None = None,
        optional_rules: Sequence[str] = (),
    ) -> AnyCompiled:
        """With the table that is tuned for the highest rate under the latency."""
        with tempfile.TemporaryDirectory() as folder:
            pq.write_table(pa.table({"demand_ms": self.design_ms}), Path(folder) / "design.parquet")
            text = SPEC.format(
                latency_ms=latency_ms,
                targets=targets,
                quantum="5ms",
                others=self.others,
                method=SIMULATION,
                objective=f"{BEGINNING}, objective: rate",
                budget=_budget_text(budget),
                optional_rules=_rules_text(optional_rules),
                rates=", ".join(f"{rate}/s" for rate in RANGE_RPS),
            )
            path = Path(folder) / "spec.yaml"
            path.write_text(text)
            return compile_policy(str(path))

    @property
    def others(self) -> str:
        """What a spec says of the server besides."""
        return f"age_clock: arrival, boosting: {str(self.boosts).lower()}"

    def workload(self) -> Workload:
        """What is held out."""
        work_ns = np.maximum(np.rint(self.held_out_ms * NS_PER_MS), 1).astype(np.int64)
        ones, curve = np.ones(len(work_ns), np.int64), np.zeros(len(work_ns), np.int32)
        return Workload(work_ns, ones, curve, np.array([published.SPEEDS]))


def _budget_text(budget: int | None) -> str:
    return "" if budget is None else f", requests: {budget}"


def _rules_text(optional_rules: Sequence[str]) -> str:
    return f", optional_rules: [{', '.join(optional_rules)}]" if optional_rules else ""


def synthetic() -> Case:
    """The gamma law that is as near to the published demand as is published."""
    return Case(
        "gamma", published.demand_ms(RECORDS, seed=1), published.demand_ms(RECORDS, seed=99)
    )


def traces() -> Iterator[Case]:
    """Public traces: search queries, and two kinds of LLM requests."""
    named = {"lucene": "search (Lucene 8)", "llm-code": "LLM (code)"}
    named["llm-conversation"] = "LLM (conversation)"
    for trace, name in named.items():
        yield Case(name, *public_data.halves(public_data.demand_ms(trace), seed=1))


def rows(
    case: Case, rates: Sequence[float], optional_rules: Sequence[str] = ()
) -> Iterator[tuple[str, ...]]:
    """For each rate the best target's table and one tuned for it."""
    for rate in rates:
        paper = case.table(FORMULA, PAPER_TARGET, [rate])
        best = case.table(FORMULA, TARGETS, [rate])
        tuned, spent = timed(
            lambda rate=rate: case.table(SIMULATION, TARGETS, [rate], optional_rules=optional_rules)
        )
        yield gain_row(case, rate, paper, best, tuned, spent)


def unboosted_rows() -> Iterator[tuple[str, ...]]:
    """Where no thread is boosted: as the server is, then with more looks, then other starts."""
    plain = replace(synthetic(), name="as published", boosts=False)
    yield from rows(plain, RATES_RPS)
    often = replace(plain, name="looks each 1 ms", quantum_us=1_000)
    yield from rows(often, LOADED_RPS)
    by_use = replace(often, name="looks each 1 ms, start-below")
    yield from rows(by_use, LOADED_RPS, ["start-below"])


def timed(compiled: Callable[[], Ladder]) -> tuple[Ladder, str]:
    """The table, and the wall time and CPU time that it took [s]."""
    begun = time.perf_counter(), cpu_seconds()
    table = compiled()
    spent = time.perf_counter() - begun[0], cpu_seconds() - begun[1]
    return table, f"{spent[0]:.1f} ({spent[1]:.1f})"


def budget_rows(case: Case) -> Iterator[tuple[str, ...]]:
    """What each budget gains at a rate over the best target, whose table is there without one."""
    for rate in LOADED_RPS:
        best, spent = timed(lambda rate=rate: case.table(FORMULA, TARGETS, [rate]))
        yield f"{rate:g}/s", "formula", spent, "", ""
        gains: list[tuple[int, str, RateGain]] = []
        for budget in BUDGETS:
            tuned, spent = timed(
                lambda rate=rate, budget=budget: case.table(SIMULATION, TARGETS, [rate], budget)
            )
            gains.append((budget, spent, gain_over(case, rate, best, tuned)))
        most = gains[-1][2].change_ppm
        for budget, spent, gain in gains:
            share = f"{gain.change_ppm / most:.0%}"
            yield f"{rate:g}/s", f"{budget / 1e6:g}", spent, change_text(gain), share


def gain_over(case: Case, rate: float, best: Ladder, tuned: Ladder) -> RateGain:
    """On held-out requests, with what a schedule reaches on them that knows all sizes."""
    aim = TuningObjective(PERCENTILE_PPM, (round(rate * 1e3),), (1,), 1)
    with ThreadPoolExecutor(thread_count(None)) as workers:
        trials = trials_at(case, rate, workers)
        reached = trials.clairvoyant_us(shared_server(best)).tolist()
        return validate_table(ScaledTable(tuned), ScaledTable(best), trials, reached, aim).gains[0]


def change_text(gain: RateGain) -> str:
    """With its interval; nothing from or to a table that does not keep up."""
    if gain.is_overloaded:
        return ""
    return _percents(gain.change_ppm, gain.low_ppm, gain.high_ppm)


def _percents(*ppm: int) -> str:
    mean, low, high = (one / 1e4 for one in ppm)
    return f"{mean:+.1f} % ({low:+.1f} .. {high:+.1f})"


def tail_text(us: int, *, overloaded: bool) -> str:
    """In ms."""
    return OVERLOADED if overloaded else f"{us / 1e3:.1f}"


def rate_rows(case: Case) -> Iterator[tuple[str, ...]]:
    """For each latency the highest rates of the published target, of the best, and tuned."""
    for latency_ms in LATENCIES_MS:
        begun = time.perf_counter(), cpu_seconds()
        compiled = case.for_rate(latency_ms, TARGETS)
        spent = time.perf_counter() - begun[0], cpu_seconds() - begun[1]
        best = compiled.sweep.chosen.policy.ladders[0]
        tables = [case.table(FORMULA, PAPER_TARGET, RANGE_RPS), best, compiled.policy.ladders[0]]
        aim = rate_aim(latency_ms)
        paper, formula, tuned = highest_mrps(case, compiled, tables, aim)
        gain = compare_rates(formula, tuned, aim)
        yield (
            f"{latency_ms} ms",
            rate_text(highest_rate(paper, aim)),
            rate_text(gain.formula),
            rate_text(gain.tuned),
            raised_text(gain),
            f"{spent[0]:.1f} ({spent[1]:.1f})",
        )


def rate_aim(latency_ms: int) -> TuningObjective:
    """The highest rate of the range at which the percentile is within the latency."""
    low_mrps, high_mrps = (round(1e3 * rate) for rate in RANGE_RPS)
    kept_us = latency_ms * 1_000
    aim = TuningObjective(PERCENTILE_PPM, (low_mrps, high_mrps), (1, 1), 1)
    return replace(aim, criterion=Criterion.RATE, target_us=kept_us, limit_us=kept_us)


def highest_mrps(
    case: Case, compiled: AnyCompiled, tables: Sequence[Ladder], aim: TuningObjective
) -> NDArray[np.int64]:
    """Highest rates on held-out requests, int64 (tables, repeats)."""
    assert isinstance(compiled.design, DemandProfile)
    assert aim.limit_us is not None
    with ThreadPoolExecutor(thread_count(None)) as workers:
        trials = rate_sample(
            case.workload(),
            aim,
            aim.limit_us,
            ladder_problem(tables[0], compiled.design, aim),
            requests=REQUESTS,
            repeats=REPEATS,
            seed=SEED,
            workers=workers,
        )
        return trials.highest_rates(tables).rates_mrps


def raised_text(gain: RateComparison) -> str:
    """With its interval."""
    assert gain.change is not None
    return _percents(gain.change.ppm, gain.change.low_ppm, gain.change.high_ppm)


def rate_text(found: HighestRate | None) -> str:
    """With its interval [1/s]."""
    if found is None:
        return "none"
    ends = [mrps / 1e3 for mrps in (found.rate_mrps, found.low_mrps, found.high_mrps)]
    return f"{ends[0]:.1f} ({ends[1]:.1f} .. {ends[2]:.1f})"


def gain_row(
    case: Case, rate: float, paper: Ladder, best: Ladder, tuned: Ladder, spent: str
) -> tuple[str, ...]:
    """A row: tails of the three, and how much of the distance to the reference is closed."""
    by_paper, gain = (gain_over(case, rate, base, tuned) for base in (paper, best))
    return (
        case.name,
        f"{rate:g}/s",
        tail_text(by_paper.formula_us, overloaded=by_paper.formula_overloaded),
        tail_text(gain.formula_us, overloaded=gain.formula_overloaded),
        tail_text(gain.tuned_us, overloaded=gain.tuned_overloaded),
        change_text(gain),
        *reached_texts(gain),
        spent,
    )


def reached_texts(gain: RateGain) -> tuple[str, str]:
    """The clairvoyant tail [ms], and the part of the way there."""
    assert gain.clairvoyant_us is not None
    closed = "" if gain.closed_gap is None else f"{gain.closed_gap:.0%}"
    return f"{gain.clairvoyant_us / 1e3:.1f}", closed


def trials_at(case: Case, rate: float, workers: ThreadPoolExecutor) -> TuningSample[Ladder]:
    return tuning_sample(
        [OperatingPoint(case.workload(), Poisson(round(rate * 1e3)))],
        PERCENTILE_PPM,
        published.CORES,
        requests=REQUESTS,
        repeats=REPEATS,
        seed=SEED,
        workers=workers,
        subject_of=ladder_subject,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--traces", action="store_true", help="public traces instead")
    parser.add_argument("--budgets", action="store_true", help="gain by budget instead")
    parser.add_argument("--unboosted", action="store_true", help="without boosting instead")
    parser.add_argument("--rate", action="store_true", help="highest rates instead")
    arguments = parser.parse_args()
    if arguments.rate:
        heads = ("99 % within", "target 24", "best target", "tuned", "change", "s (CPU s)")
        show(heads, list(rate_rows(synthetic())))
        end()
        return
    if arguments.budgets:
        heads = ("rate", "million requests", "s (CPU s)", "change", "of the full gain")
        show(heads, list(budget_rows(synthetic())))
        end()
        return
    heads = ("server" if arguments.unboosted else "demand", "rate", "target 24", "best target")
    heads += ("tuned", "change", "clairvoyant", "gap closed", "s (CPU s)")
    found: list[tuple[str, ...]] = []
    if arguments.traces:
        for case in traces():
            found += rows(case, case.rates_rps)
    elif arguments.unboosted:
        found += unboosted_rows()
    else:
        case = synthetic()
        found += rows(case, RATES_RPS)
        paper = case.table(FORMULA, PAPER_TARGET, WIDE_RPS)
        best = case.table(FORMULA, TARGETS, WIDE_RPS)
        wide = case.table(SIMULATION, TARGETS, WIDE_RPS)
        found += [gain_row(case, rate, paper, best, wide, "one for all") for rate in WIDE_RPS]
    show(heads, found)
    end()


if __name__ == "__main__":
    main()
