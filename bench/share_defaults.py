"""Compare the default controllers of autopro with constant shares, on held-out measurements.

    python -m bench.share_defaults [--hosts HOST,...] [--samples 2]

A host has two applications of `bench.share_workloads`, with targets of 30 and 40 % of what their
models predict for the whole host. For each host and sample, compile measurements under random
shares with no method named, and replay the controller on further measurements with other noise and
phases. A line is an application with its mean error under the controller, under the constant share
that is best on the design sample, under the one that is best by hindsight, and under an equal part
of the host.
"""

from __future__ import annotations

import argparse
import itertools
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from bench.share_workloads import BY_NAME, STEP_S, STEPS, machine, plant, shares_of
from bench.timing import end
from tailc.artifact.envelope import Policy
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import recorded_periods
from tailc.forms.shares import PPM
from tailc.models.cpu_shares.plant import replay
from tailc.models.cpu_shares.recorded_machines import machines_of
from tailc.models.cpu_shares.static_shares import constant
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out_rows import read_held_out_rows
from tailc.verify.throughput.judge import verify_throughput

HOSTS: Mapping[str, tuple[str, str]] = {
    "steady": ("blackscholes-like", "swaptions-like"),
    "phases": ("x264-like", "dedup-like"),
    "falling": ("canneal-like", "ferret-like"),
    "frames": ("bodytrack-like", "swaptions-like"),
}
# Shares of the measurements.
_LEAST, _MOST = 0.1, 0.5
SPEC = """\
apiVersion: tailc/v1
kind: autopro
name: cell
throughput: {{trace: design.csv, time: time_ms, unit: ms, reference: a host}}
machines: [{{name: {0}, target: 30%}}, {{name: {1}, target: 40%}}]
batch: [rest]
"""


@dataclass(frozen=True)
class ApplicationResult:
    """Mean errors of an application relative to its target."""

    name: str
    own: float
    by_design: float
    by_hindsight: float
    equal: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=lambda text: text.split(","), default=list(HOSTS))
    parser.add_argument("--samples", type=int, default=2)
    arguments = parser.parse_args()
    found: list[ApplicationResult] = []
    for host, sample in itertools.product(arguments.hosts, range(1, arguments.samples + 1)):
        policy, results = host_result(host, sample)
        print("\n".join(_line(f"{host} {sample}", policy, one) for one in results), flush=True)
        found += results
    print(summary(found))
    end()


def host_result(host: str, sample: int) -> tuple[Policy, list[ApplicationResult]]:
    """Compile the measurements of a sample, and replay the policy on the next ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spec.yaml").write_text(SPEC.format(*HOSTS[host]), encoding="utf-8")
        for number, part in enumerate(("design", "apart")):
            rows = _measurements(host, seed=2 * sample + number)
            (folder / f"{part}.csv").write_text(rows, encoding="utf-8")
        policy = compile_policy(str(folder / "spec.yaml")).policy
        design, apart = (
            read_held_out_rows(policy, str(folder / f"{part}.csv")) for part in ("design", "apart")
        )
    assert policy.shares is not None
    parts = recorded_periods(policy.shares, design).replay_baseline("static").shares
    there = machines_of(recorded_periods(policy.shares, apart).machines)
    by_design = constant(policy.shares, there, np.array(parts)).errors
    verdicts = verify_throughput(policy, apart, VerifyOptions(baselines=("static", "fair")))
    return policy, [
        ApplicationResult(
            one.name,
            one.error.ppm / PPM,
            error,
            one.baselines["static"].error_ppm / PPM,
            one.baselines["fair"].error_ppm / PPM,
        )
        for one, error in zip(verdicts.machines, by_design, strict=True)
    ]


def _measurements(host: str, seed: int) -> str:
    """Rows of the two applications under random shares, as CSV."""
    applications = [BY_NAME[name] for name in HOSTS[host]]
    given = np.random.default_rng(seed).uniform(_LEAST, _MOST, (len(applications), STEPS))
    shares = shares_of([machine(each, each.work) for each in applications])
    outcome = replay(shares, plant(applications, seed), given)
    lines = ["time_ms,machine,throughput,share"]
    for at, each in enumerate(applications):
        rows = zip(outcome.throughput[at], outcome.share[at], strict=True)
        lines += [
            f"{round(step * STEP_S * 1_000)},{each.name},{done},{share}"
            for step, (done, share) in enumerate(rows, start=1)
        ]
    return "\n".join(lines) + "\n"


def _line(where: str, policy: Policy, one: ApplicationResult) -> str:
    assert policy.shares is not None
    law = f"{policy.shares.law.value} {policy.shares.pole_ppm / PPM:g}"
    errors = "  ".join(
        f"{error:6.1%}" for error in (one.own, one.by_design, one.by_hindsight, one.equal)
    )
    return f"{where:10} {one.name:18} {errors}  {law}"


def summary(found: Sequence[ApplicationResult]) -> str:
    worse = sum(one.own > one.by_hindsight for one in found)
    by_hindsight = _geometric([one.own / one.by_hindsight for one in found])
    by_design = _geometric([one.own / one.by_design for one in found])
    return "\n".join(
        [
            f"{len(found)} applications, larger error than the best constant share by hindsight: "
            f"{worse}",
            f"geometric mean over that share: {by_hindsight:+.1%}",
            f"geometric mean over the share that is best on the design sample: {by_design:+.1%}",
        ]
    )


def _geometric(ratios: Sequence[float]) -> float:
    return math.exp(fmean(map(math.log, ratios))) - 1.0


if __name__ == "__main__":
    main()
