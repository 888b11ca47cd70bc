"""What ages by load, tuned on the replay, save over the formula's where both keep the SLO.

    python -m bench.queue_energy

On cores that each change their clock, and on cores of two types: for each rate alone, and one table
for all of them. The formula's ages are those of low load, times the largest factor that keeps the
SLO at every rate. Both are judged on records that the search did not see and on the same random
numbers; intervals are Student's at 95 % over replays.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.timing import ROOT, end, show
from tailc.percentiles import PPM
from tailc.pipeline.compile import AnyCompiled, compile_policy
from tailc.tuning.tuned_table import TunedTable
from tailc.units import format_mrps

SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: queue-energy
slo: [{{percentile: 99%, latency: {latency}}}]
demand:
  trace: {root}/examples/lucene-as2f/demand.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
cores: {cores}
search: {{method: simulation, requests: {requests}}}
rates: [{rates}]
"""
REQUESTS = 60_000_000
HEADS = ("cores", "rate", "tuned for", "formula's ages", "p99", "tuned", "change of energy")


@dataclass(frozen=True)
class Server:
    """Cores of a spec, the SLO's latency, and rates [1/s]."""

    name: str
    cores: str
    latency: str
    rates: tuple[int, ...]


SERVERS = (
    Server(
        "4 with frequencies",
        "{dvfs: {count: 4, levels: [{frequency: 1.7GHz, power: 1.4W}, "
        "{frequency: 2.7GHz, power: 4.2W}, {frequency: 3.4GHz, power: 9.8W}]}}",
        "250ms",
        (10, 20, 30),
    ),
    Server(
        "13 slow, 2 fast",
        "{power_from: micro-2017-amp, types: [{speed: 1, count: 13}, {speed: 2, count: 2}]}",
        "210ms",
        (20, 60, 90),
    ),
)


def rows(server: Server, requests: int) -> Iterator[tuple[str, ...]]:
    for rate in server.rates:
        yield from gain_rows(server, tuned(server, (rate,), requests), "this rate")
    yield from gain_rows(server, tuned(server, server.rates, requests), "all")


def tuned(server: Server, rates: Sequence[int], requests: int) -> TunedTable:
    (found,) = compiled(server, rates, requests).additions_of(TunedTable)
    return found


def compiled(
    server: Server,
    rates: Sequence[int],
    requests: int,
    overrides: Mapping[str, object] | None = None,
) -> AnyCompiled:
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.yaml"
        named = ", ".join(f"{rate}/s" for rate in rates)
        parts = {"latency": server.latency, "cores": server.cores, "rates": named, "root": ROOT}
        spec.write_text(SPEC.format(**parts, requests=requests))
        return compile_policy(str(spec), overrides=overrides)


def gain_rows(server: Server, found: TunedTable, tuned_for: str) -> Iterator[tuple[str, ...]]:
    part_ppm = found.validated.formula_part_ppm
    factor = "miss at any" if part_ppm is None else f"{100 * part_ppm / PPM:.1f} %"
    taken = "" if found.validated.is_better else ", not adopted"
    for gain in found.validated.gains:
        share = [ppm / 1e4 for ppm in (gain.change_ppm, gain.low_ppm, gain.high_ppm)]
        yield (
            server.name,
            format_mrps(gain.rate_mrps),
            tuned_for + taken,
            factor,
            f"{gain.formula_us / 1e3:.1f}",
            f"{gain.tuned_us / 1e3:.1f}",
            f"{share[0]:+.1f} % ({share[1]:+.1f} .. {share[2]:+.1f})",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=REQUESTS, help="budget of a search")
    arguments = parser.parse_args()
    show(HEADS, [row for server in SERVERS for row in rows(server, arguments.requests)])
    end()


if __name__ == "__main__":
    main()
