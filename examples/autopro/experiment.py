"""Run the controller on two real machines, and set the best shares that never change beside it.

    python examples/autopro/experiment.py

Compiles the policy, starts the machines, and for a minute and a half each gives them the shares
that the policy decides on, the shares that its model needs, and equal ones. Writes `measured.json`
and prints its table; with `--on replay` the machines are those of the replay, behind `heldout.csv`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import host
import numpy as np

import tailc
from tailc.experiment.recorded_periods import recorded_periods
from tailc.forms.shares import PPM, Shares
from tailc.forms.shares_step import HostState, first_state, lag_ticks, tick
from tailc.models.cpu_shares.baselines.fair import equal_part
from tailc.models.cpu_shares.plant import replay
from tailc.models.cpu_shares.recorded_machines import machines_of
from tailc.studies.held_out_rows import read_held_out_rows

FOLDER = Path(__file__).parent
STEPS = 120
PERCENT = 100
Found = dict[str, dict[str, float]]


def main() -> None:
    """Measure and write, or print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--on", choices=("machines", "replay"), default="machines")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=FOLDER / "measured.json")
    parser.add_argument("--summary-only", action="store_true", help="only read the file")
    arguments = parser.parse_args()
    if not arguments.summary_only:
        shares = tailc.compile_policy(str(FOLDER / "service.yaml")).policy.shares
        assert shares is not None
        before = os.getloadavg()[0]
        on_machines = arguments.on == "machines"
        runs, mode = measured(shares, arguments.steps) if on_machines else replayed(shares)
        found = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "shares_by": mode,
            "steps": arguments.steps,
            "load_average": [round(before, 2), round(os.getloadavg()[0], 2)],
            "runs": runs,
        }
        arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="ascii")
    print(table(json.loads(arguments.out.read_text(encoding="ascii"))))


def measured(shares: Shares, steps: int) -> tuple[dict[str, Found], str]:
    """What became of each machine under each way to share the core, and how it was enforced."""
    names = [machine.name for machine in shares.machines]
    first = dict(zip(names, _fractions(first_state(shares)), strict=True))
    equal = dict.fromkeys(names, 1 / len(names))
    runs: dict[str, Found] = {}
    mode = ""
    for name, decide in {
        "AutoPro": None,
        "constant shares from the model": lambda: first,
        "equal shares": lambda: equal,
    }.items():
        with host.running(names) as machines:
            mode = machines.mode
            runs[name] = _run(shares, machines, steps, decide)
    return runs, mode


def _run(
    shares: Shares,
    machines: host.Host,
    steps: int,
    decide: Callable[[], Mapping[str, float]] | None,
) -> Found:
    """The machines for so many steps after a warm-up; `decide` None for the controller."""
    names = [machine.name for machine in shares.machines]
    served = [machine.name for machine in shares.served_machines]
    state, told = first_state(shares), []
    for _ in range(host.WARM_UP_STEPS + steps):
        given = decide() if decide else dict(zip(names, _fractions(state), strict=True))
        machines.give(given)
        for _ in range(lag_ticks(shares)):
            throughput = machines.tick()
            state = tick(shares, state, [throughput[name] for name in served])
        told.append([(throughput[name], given[name]) for name in served])
    return _summary(shares, np.array(told[host.WARM_UP_STEPS :]))


def replayed(shares: Shares) -> tuple[dict[str, Found], str]:
    """The same on the machines behind the held-out rows."""
    policy = tailc.compile_policy(str(FOLDER / "service.yaml")).policy
    rows = read_held_out_rows(policy, str(FOLDER / "heldout.csv"))
    plant = machines_of(recorded_periods(shares, rows).machines)
    first = np.array(_fractions(first_state(shares))[: len(shares.served_machines)])
    given = {
        "AutoPro": None,
        "constant shares from the model": np.repeat(first[:, None], plant.steps, axis=1),
        "equal shares": np.full(plant.a.shape, equal_part(shares)),
    }
    runs = {}
    for name, parts in given.items():
        outcome = replay(shares, plant, parts)
        told = np.stack([outcome.throughput, outcome.share], axis=2).transpose(1, 0, 2)
        runs[name] = _summary(shares, told[host.WARM_UP_STEPS :])
    return runs, "replay"


def _fractions(state: HostState) -> list[float]:
    return [ppm / PPM for ppm in state.granted_ppm]


def _summary(shares: Shares, told: np.ndarray) -> Found:
    """`told` is (steps, machines, 2): throughput and share."""
    found = {}
    for at, machine in enumerate(shares.served_machines):
        target = (machine.target_milli or 0) / 1_000
        errors = np.abs(told[:, at, 0] / target - 1)
        found[machine.name] = {
            "target": target,
            "throughput": round(float(told[:, at, 0].mean()), 2),
            "error": round(float(errors.mean()), 4),
            "share": round(float(told[:, at, 1].mean()), 4),
        }
    return found


def table(found: Mapping) -> str:
    """The runs as a table for the README."""
    lines = [
        "| shares | machine | target | throughput | mean error | mean share |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name, machines in found["runs"].items():
        for number, (machine, told) in enumerate(machines.items()):
            cells: Sequence[str] = (
                "" if number else name,
                machine,
                f"{told['target']:.0f}/s",
                f"{told['throughput']:.0f}/s",
                f"{told['error'] * PERCENT:.1f} %",
                f"{told['share'] * PERCENT:.1f} %",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
