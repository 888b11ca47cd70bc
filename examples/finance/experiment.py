"""Run the option server on one slow and one fast core, and set the replay beside it.

    python examples/finance/experiment.py

Compiles the policy, builds the server, and sends it the same requests at the same times under three
policies: the compiled one with its controller (EETL), fastest core first (TL) and slow core first
(EE). Writes `measured.json` and prints its table. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import binary
import measure
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import workload

import tailc
from tailc.artifact.envelope import Policy
from tailc.forms.ladder.table import Climb, Ladder
from tailc.percentiles import PPM
from tailc.replay import state
from tailc.replay.outcome import Outcome, replay
from tailc.replay.subject import Subject, table_of
from tailc.replay.workload import Workload
from tailc.replay.workload import workload as replayed_workload
from tailc.traces.profile import DemandProfile
from tailc.traces.trace import read_trace

FOLDER = Path(__file__).parent
SPEC = FOLDER / "service.yaml"
SLOWDOWN = 2
RATES_PER_S = (20, 50)
SECONDS = 20
SEED = 100
MOST_IN_SYSTEM = 100_000
US_PER_S = 1e6
NS_PER_US, NS_PER_MS = 1_000, 1_000_000
SLOW, FAST = 0, 1
HEADS = (
    *("rate", "policy", "", "p99", "p95", "mean", "CPU time"),
    *("slow core", "fast core", "on fast", "energy"),
)


def main() -> None:
    """Measure and write, or print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+", default=list(RATES_PER_S))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--out", type=Path, default=FOLDER / "measured.json")
    parser.add_argument("--summary-only", action="store_true", help="only read the file")
    arguments = parser.parse_args()
    if not arguments.summary_only:
        found = experiment(arguments.rates, arguments.seconds)
        arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(table(json.loads(arguments.out.read_text(encoding="utf-8"))))


def experiment(rates: Sequence[int], seconds: float) -> dict[str, object]:
    """Every policy at every rate, measured and predicted, and what the machine was doing."""
    slow, fast = two_cores()
    policy = tailc.compile_policy(str(SPEC)).policy
    server = binary.build()
    before = os.getloadavg()[0]
    with before_all_others() as is_first:
        slowdown = measure.slowdown_measured(slow, SLOWDOWN)
    runs = [
        run(server, policy, name, rate, seconds, (slow, fast))
        for rate in rates
        for name in ("EETL", "TL", "EE")
    ]
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": measure.machine(),
        "seconds": seconds,
        "slowdown": slowdown,
        "before_all_others": is_first,
        "load_average": [round(before, 2), round(os.getloadavg()[0], 2)],
        "runs": runs,
    }


@contextlib.contextmanager
def before_all_others() -> Iterator[bool]:
    """Programs started here run before all other work, if that is permitted, which it yields."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def two_cores() -> tuple[int, int]:
    """The slow and the fast core's numbers."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise SystemExit("the experiment needs two cores")
    return cores[0], cores[1]


def run(
    server: Path, policy: Policy, name: str, rate: int, seconds: float, cores: tuple[int, int]
) -> dict[str, object]:
    """One policy at one rate."""
    ids, arrival_us = requests_at(rate, seconds)
    with before_all_others():
        measured, cpu_ms = served(server, table_text(policy, name), ids, arrival_us, cores)
    alone = replayed_workload(held_out_profile(policy), policy.ladders[0])
    as_run = replace(
        alone,
        work_ns=(cpu_ms * NS_PER_MS).astype(np.int64),
        weight=np.ones(len(ids), np.int64),
        curve_of=np.zeros(len(ids), np.int32),
    )
    return {
        "rate_per_s": rate,
        "policy": name,
        "requests": len(ids),
        "predicted": replayed(subject_of(policy, name), alone, ids, arrival_us),
        "measured": measured,
        "replayed": replayed(subject_of(policy, name), as_run, np.arange(len(ids)), arrival_us),
    }


def held_out_profile(policy: Policy) -> DemandProfile:
    """The requests that the experiment is made of, with their CPU times alone."""
    return read_trace(str(FOLDER / "heldout.parquet"), policy.reading).profile


def requests_at(rate: int, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of `heldout.parquet`, and Poisson times [us]; the same for every policy."""
    rng = np.random.default_rng(SEED + rate)
    arrival_us = np.cumsum(rng.exponential(US_PER_S / rate, round(rate * seconds)))
    held_out = pq.read_table(FOLDER / "heldout.parquet").num_rows
    passes = [rng.permutation(held_out) for _ in range(-(-len(arrival_us) // held_out))]
    return np.concatenate(passes)[: len(arrival_us)], arrival_us.round()


def table_text(policy: Policy, name: str) -> str:
    """The policy as the server reads it: whole numbers, a line each."""
    if name == "EE":
        return "never_climbs\n"
    if name == "TL":
        return "climb_us 0\n"
    (climb,) = policy.ladders[0].rows[0].climbs[1:]
    law = policy.controller
    assert law is not None
    numbers = (law.percentile_ppm, law.target_us, law.epoch_requests, law.window_requests)
    limits = (law.first_ppm, law.least_ppm, law.most_ppm, law.fraction_bits)
    lines = [f"climb_us {climb.age_us}", "controller " + _words((*numbers, *limits))]
    rows = ((row.first_rate_mrps, row.kp, row.ki, row.kd) for row in law.gains)
    return "".join(f"{line}\n" for line in (*lines, *(f"gains {_words(row)}" for row in rows)))


def _words(numbers: Sequence[int]) -> str:
    return " ".join(str(number) for number in numbers)


def served(
    server: Path, policy: str, ids: np.ndarray, arrival_us: np.ndarray, cores: tuple[int, int]
) -> tuple[dict[str, float], np.ndarray]:
    """What the server did, on real cores and in real time, and the CPU time of each request."""
    drawn = workload.draw(measure.REQUESTS)
    held_out = pq.read_table(FOLDER / "heldout.parquet")["request_id"].to_numpy()
    chosen = (drawn[int(held_out[one])] for one in ids)
    lines = [workload.as_line(*pair) for pair in zip(chosen, arrival_us.tolist(), strict=True)]
    path = binary.BUILT.parent / "policy.txt"
    path.write_text(policy, encoding="utf-8")
    answers, said = binary.run(server, "serve", lines, path, *cores, SLOWDOWN)
    latency_ms = in_order(answers, "latency_ms")
    busy_ms = [float(word) for word in said.split()[1:3]]
    span_ms = float((latency_ms + arrival_us / 1e3).max())
    on_fast = in_order(answers, "ended_on") == FAST
    cpu_ms = in_order(answers, "cpu_ms")
    return summary(latency_ms, busy_ms, span_ms, on_fast, cpu_ms), cpu_ms


def in_order(answers: pa.Table, column: str) -> np.ndarray:
    """A column by request: the server answers in order of completion."""
    found = np.empty(answers.num_rows)
    found[answers["number"].to_numpy()] = answers[column].to_numpy()
    return found


def replayed(
    subject: Subject, load: Workload, ids: np.ndarray, arrival_us: np.ndarray
) -> dict[str, float]:
    """What the replay says of the same requests at the same times."""
    rate_mrps = round(1e9 * len(ids) / float(arrival_us[-1]))
    table = table_of(subject, rate_mrps, MOST_IN_SYSTEM)
    arrival_ns = (arrival_us * NS_PER_US).astype(np.int64)
    outcome = replay(load, ids, arrival_ns, table, MOST_IN_SYSTEM)
    span_ms = float((outcome.latency_ns + arrival_ns).max()) / NS_PER_MS
    latency_ms = outcome.latency_ns / NS_PER_MS
    work_ms = load.work_ns[ids] / NS_PER_MS
    on_fast = outcome.rung == FAST
    return summary(latency_ms, busy_by_core_ms(outcome), span_ms, on_fast, work_ms)


def busy_by_core_ms(outcome: Outcome) -> list[float]:
    """How long the slow and the fast core had a request, moves included."""
    columns = (state.THREADS + state.POOL_COLUMNS * core for core in (SLOW, FAST))
    return [float(outcome.integrals[:, one].sum()) / PPM / NS_PER_MS for one in columns]


def subject_of(policy: Policy, name: str) -> Subject:
    """The policy with its controller, or its extremes without."""
    ladder = policy.ladders[0]
    if name == "TL":
        return Subject(name, (with_climbs(ladder, (Climb(0, FAST),)),))
    if name == "EE":
        return Subject(name, (with_climbs(ladder, (Climb(0, SLOW),)),))
    return Subject(name, policy.ladders, steering=policy.controller)


def with_climbs(ladder: Ladder, climbs: tuple[Climb, ...]) -> Ladder:
    """The ladder with other ages."""
    return replace(ladder, rows=(replace(ladder.rows[0], climbs=climbs),))


def summary(
    latency_ms: np.ndarray,
    busy_ms: Sequence[float],
    span_ms: float,
    on_fast: np.ndarray,
    cpu_ms: np.ndarray,
) -> dict[str, float]:
    """What the table tells of a run: times in ms, shares, and energy in ms of a slow core's power.

    A fast core draws as much as the spec says.
    """
    power = (1.0, 6.8)
    energy = sum(p * busy for p, busy in zip(power, busy_ms, strict=True)) / len(latency_ms)
    figures = {
        "p99_ms": np.quantile(latency_ms, 0.99, method="inverted_cdf"),
        "p95_ms": np.quantile(latency_ms, 0.95, method="inverted_cdf"),
        "mean_ms": latency_ms.mean(),
        "cpu_ms": cpu_ms.mean(),
        "slow_busy": busy_ms[SLOW] / span_ms,
        "fast_busy": busy_ms[FAST] / span_ms,
        "ended_on_fast": on_fast.mean(),
        "energy_slow_core_ms": energy,
    }
    return {name: round(float(value), 4) for name, value in figures.items()}


def table(found: dict[str, list[dict]]) -> str:
    """Predicted, measured, and replayed with the CPU times that the run took, in Markdown."""
    lines = [f"| {' | '.join(HEADS)} |", f"|{'---|' * 3}{'---:|' * (len(HEADS) - 3)}"]
    for one in found["runs"]:
        for which in ("predicted", "measured", "replayed"):
            head = (f"{one['rate_per_s']}/s", one["policy"]) if which == "predicted" else ("", "")
            lines.append(f"| {' | '.join((*head, which, *cells(one[which])))} |")
    return "\n".join(lines)


def cells(run: dict[str, float]) -> tuple[str, ...]:
    """The figures of a run as the table has them."""
    times = (f"{run[name]:.1f}" for name in ("p99_ms", "p95_ms", "mean_ms", "cpu_ms"))
    shares = (f"{run[name]:.0%}" for name in ("slow_busy", "fast_busy", "ended_on_fast"))
    return (*times, *shares, f"{run['energy_slow_core_ms']:.1f}")


if __name__ == "__main__":
    main()
