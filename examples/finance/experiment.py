"""Run the option server on one slow and one fast core, and set the replay beside it.

    python examples/finance/experiment.py

Compiles the policies, builds the server, and sends it the same requests at the same times under
four of them: the compiled one with its controller (EETL), one with ages by the number in the system
that is tuned with queues at these rates (TUNED), fastest core first (TL) and slow core first (EE);
then under EETL with the policy built into the server, and through a spike of load. Writes
`measured.json` and prints its tables. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import arrivals
import binary
import measure
import measured_tables
from judging import Judge, Run
from policies import COMPILED, SLOW, policies, written
from serving import SLOWDOWN, Server, before_all_others, two_cores

import tailc
from tailc.artifact.envelope import Policy

FOLDER = Path(__file__).parent
SPEC, QUEUE_SPEC = FOLDER / "service.yaml", FOLDER / "queue.yaml"
RATES_PER_S = (20, 50)
SECONDS = 12
OUT = FOLDER.parents[1] / "build" / "finance" / "measured.json"
SPIKE = ((20, 10), (60, 15), (20, 10))


def main() -> None:
    """Measure and write, or print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+", default=list(RATES_PER_S))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--summary-only", action="store_true", help="only read the file")
    arguments = parser.parse_args()
    if not arguments.summary_only:
        found = experiment(arguments.rates, arguments.seconds)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    told = measured_tables.tables(json.loads(arguments.out.read_text(encoding="utf-8")))
    print("\n\n".join(told.values()))


def experiment(rates: Sequence[int], seconds: float) -> dict[str, object]:
    """Every policy at every rate, measured and predicted, and what the machine was doing."""
    before = os.getloadavg()[0]
    setup = prepared(two_cores())
    with before_all_others() as is_first:
        slowdown = measure.slowdown_measured(
            setup.server.program, setup.server.cores[SLOW], SLOWDOWN
        )
    alone_ms, runs = [setup.server.alone_ms()], []
    for rate in rates:
        runs += [setup.run(name, rate, seconds) for name in setup.compared]
        alone_ms.append(setup.server.alone_ms())
    embedded = setup.run_embedded(rates[0], seconds)
    spike = setup.run_spike()
    judge = Judge.build(setup.compared, alone_ms)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": measure.machine(),
        "seconds": seconds,
        "slowdown": slowdown,
        "before_all_others": is_first,
        "load_average": [round(before, 2), round(os.getloadavg()[0], 2)],
        "alone": judge.drift(alone_ms),
        "runs": [judge.of_run(run) for run in runs],
        "embedded": judge.of_run(embedded) | {"policy": f"{COMPILED}, embedded"},
        "spike": judge.of_spike(spike, SPIKE),
    }


@dataclass(frozen=True, eq=False)
class Setup:
    """What is measured with: the server and the policies that it reads."""

    server: Server
    compared: dict[str, Policy]
    files: dict[str, Path]

    def run(self, name: str, rate: int, seconds: float) -> Run:
        """One policy at one rate."""
        rows, arrival_us = arrivals.steady(rate, seconds)
        return Run(name, rate, rows, self.server.serve(self.files[name], rows, arrival_us))

    def run_embedded(self, rate: int, seconds: float) -> Run:
        """The compiled policy, built into the server."""
        rows, arrival_us = arrivals.steady(rate, seconds)
        return Run(COMPILED, rate, rows, self.server.serve(binary.EMBEDDED, rows, arrival_us))

    def run_spike(self) -> Run:
        """The compiled policy while the rate jumps."""
        rows, arrival_us = arrivals.jumping(SPIKE)
        measured = self.server.serve(self.files[COMPILED], rows, arrival_us)
        return Run(COMPILED, None, rows, measured)


def prepared(cores: tuple[int, int]) -> Setup:
    """Everything compiled and built."""
    compared = policies(*(tailc.compile_policy(str(spec)).policy for spec in (SPEC, QUEUE_SPEC)))
    folder = binary.BUILT.parent
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: written(policy, folder / name) for name, policy in compared.items()}
    server = Server(binary.build(policy=files[COMPILED]), cores)
    return Setup(server, compared, files)


if __name__ == "__main__":
    main()
