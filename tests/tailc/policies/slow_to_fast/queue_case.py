"""Helpers of test_queue.py that other tests use too."""

from __future__ import annotations

from tests.tailc.policies.slow_to_fast.case import swapped

# Cores that are slow until a queue forms: alone, every request would keep the tail on them.
CLOCKS = """\
cores:
  dvfs:
    count: 2
    levels: [{frequency: 1GHz, power: 1W}, {frequency: 2GHz, power: 5W}]
search: {method: simulation, requests: 1600000}
"""
CONTROL = "control: {epoch: 50 requests, window: 200 requests}\n"
CORES = """\
cores:
  power_from: micro-2017-amp
  types: [{speed: 1, count: 5}, {speed: 2, count: 2}]
"""
QUEUED = swapped(
    (CORES, CLOCKS),
    (CONTROL, ""),
    ("rates: [20/s, 80/s]", "rates: [50/s]"),
    ("latency: 80ms", "latency: 120ms"),
)
