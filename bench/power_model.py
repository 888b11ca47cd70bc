"""How far a trained power model is off on another trace.

    python -m bench.power_model

Traces are synthetic (tests/reference/counter_traces.py): 20,000 samples of 25 ms, random mixes, a
new frequency every 4 seconds. `published` is Bartolini, 2015, section 3.7.5 and table 3.1, on two
real servers, its `CPU` among the cores; only the direction can be compared.
"""

from __future__ import annotations

from tailc_solvers.power.train import ByComponent, errors, train

from bench.timing import show
from tests.reference.counter_traces import QUIET, Noise, trace

SAMPLES = 20_000
SERVERS = {
    "follows the model": QUIET,
    "6 % of switching not counted": Noise(),
    "18 % of switching not counted": Noise(unmodelled=0.18, reading_w=1.5),
}
PUBLISHED = [
    ["published, Sandy Bridge", "mean of a sample", "", "", "", "1.7 %", "1.7 %"],
    ["published, Sandy Bridge", "long term", "0.04 %", "", "0.30 %", "0.01 %", "0.03 %"],
    ["published, Haswell", "mean of a sample", "", "", "", "4.5 %", "5.1 %"],
    ["published, Haswell", "long term", "0.35 %", "", "0.03 %", "0.01 %", "0.14 %"],
]


def main() -> None:
    rows = []
    for name, noise in SERVERS.items():
        found = train(*trace(SAMPLES, 1, noise))
        counters, watts = trace(SAMPLES, 2, noise)
        off = errors(found.model.predict(counters), watts)
        rows.append([name, "mean of a sample", *_shares(off.absolute)])
        rows.append([name, "long term", *_shares(off.long_term)])
    show(["server", "error", "cores", "uncore", "DRAM", "rest", "server"], rows + PUBLISHED)


def _shares(of: ByComponent) -> list[str]:
    return [f"{100 * share:.2f} %" for share in of]


if __name__ == "__main__":
    main()
