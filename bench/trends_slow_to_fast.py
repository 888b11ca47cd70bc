"""The published figures of slow-to-fast beside ours, on workloads fitted to what was published.

    python -m bench.trends_slow_to_fast

Every figure of ours is a mean over repetitions with a 95 % interval of that mean, all policies on
the same requests at the same times. docs/published-results.md says why ours differ; the letters
are its notes.
"""

from __future__ import annotations

from bench import trends_cores_control as control
from bench import trends_cores_load as load
from bench import trends_cores_published as published
from bench import trends_cores_sensitivity as sensitivity
from bench.timing import show

EPOCH_RATES = (10, 60, 90)


def main() -> None:
    for title, rows in published.ROWS:
        show([title, *published.HEADS], rows())
    load.report("8S+1F", published.eight(), "ee", (10, 20, 30, 40, 50, 60))
    load.report("2F-13S", published.amp(), "eetl", (10, 25, 50, 66, 80, 100, 120))
    show(["load that jumps", *control.SPIKE_HEADS], control.spikes())
    heads = [f"{rate}/s: p99, energy over S2F" for rate in EPOCH_RATES]
    show(["2F-13S", *heads], control.epochs(EPOCH_RATES))
    show(["workload on 2F-13S", *sensitivity.WORKLOAD_HEADS], sensitivity.workloads())
    for table in sensitivity.choices():
        print(table)


if __name__ == "__main__":
    main()
