"""What ages by load, tuned on the replay, leave of batch work beside those of elfen's policies.

    python -m bench.queue_lanes

On the search engine of `examples/elfen`: for each rate alone, and one table for all of them, from
the best of the papers' policies and from what `optimised` finds. Tables are judged on records that
the search did not see and on the same random numbers; intervals are Student's at 95 % over replays.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.timing import ROOT, end, show
from tailc.percentiles import PPM
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.tuning.tuned_table import TunedTable
from tailc.units import format_mrps

SPEC = """\
apiVersion: tailc/v1
kind: elfen
name: queue-lanes
slo: [{{percentile: 99%, latency: 100ms}}]
demand:
  trace: {root}/examples/elfen/demand.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: a core whose other lane is idle
server: {{cores: {cores}}}
lanes: {{interference: 33%}}
{policy}
search: {{method: simulation, requests: {requests}}}
rates: [{rates}]
"""
REQUESTS = 60_000_000
SAFE, OPTIMISED = "policy: safe\nbudget: by-load", "policy: optimised"
HEADS = ("cores", "policy", "rate", "tuned for", "p99", "tuned")
HEADS_OF_BATCH = ("batch work", "tuned", "upper bound", "change of lost batch work")


@dataclass(frozen=True)
class Server:
    """Cores, and rates [1/s] of requests."""

    cores: int
    rates: tuple[int, ...]


SERVERS = (Server(1, (40, 80, 100)), Server(4, (500,)))


def rows(server: Server, policy: str, requests: int) -> Iterator[tuple[str, ...]]:
    for rate in server.rates:
        yield from table_rows(server, tuned(server, policy, (rate,), requests), "this rate")
    if len(server.rates) > 1:
        yield from table_rows(server, tuned(server, policy, server.rates, requests), "all")


def tuned(server: Server, policy: str, rates: Sequence[int], requests: int) -> AnyCompiled:
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.yaml"
        named = ", ".join(f"{rate}/s" for rate in rates)
        parts = {"cores": server.cores, "policy": policy, "rates": named, "root": ROOT}
        spec.write_text(SPEC.format(**parts, requests=requests))
        return compile_policy(str(spec))


def table_rows(server: Server, compiled: AnyCompiled, tuned_for: str) -> Iterator[tuple[str, ...]]:
    (found,) = compiled.additions_of(TunedTable)
    problem = compiled.sweep.chosen.problem
    taken = "" if found.validated.is_better else ", not adopted"
    for gain, left in zip(found.validated.gains, found.batch, strict=True):
        share = [ppm / 1e4 for ppm in (gain.change_ppm, gain.low_ppm, gain.high_ppm)]
        left_ppm = left.formula_ppm, left.tuned_ppm, left.most_ppm
        batch = (f"{100 * ppm / PPM:.1f} %" for ppm in left_ppm)
        yield (
            str(server.cores),
            problem.borrowing.value,
            format_mrps(gain.rate_mrps),
            tuned_for + taken,
            f"{gain.formula_us / 1e3:.1f}",
            f"{gain.tuned_us / 1e3:.1f}",
            *batch,
            f"{share[0]:+.1f} % ({share[1]:+.1f} .. {share[2]:+.1f})",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=REQUESTS, help="budget of a search")
    arguments = parser.parse_args()
    cases = [(server, policy) for server in SERVERS for policy in (SAFE, OPTIMISED)]
    found = [row for server, policy in cases for row in rows(server, policy, arguments.requests)]
    show((*HEADS, *HEADS_OF_BATCH), found)
    end()


if __name__ == "__main__":
    main()
