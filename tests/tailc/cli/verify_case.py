"""Helpers of test_verify.py that other tests use too."""

from __future__ import annotations

from random import Random

QUICK = ["--requests", "1000", "--replicates", "50"]
P95 = ("{percentile: 99%, latency: 200ms}", "{percentile: 95%, latency: 400ms}")


def trace(seed, requests, mean_ms=60.0, gap_ms=20.0):
    """Exponential demands, a request each 20 ms."""
    draw = Random(seed)
    rows = [f"{i * gap_ms:g},{draw.expovariate(1 / mean_ms) + 0.01:.3f}" for i in range(requests)]
    return "at_ms,demand_ms\n" + "\n".join(rows) + "\n"


def judged(tailc, *options, trace="new.csv"):
    return tailc("verify", "toy.tailc", "--trace", trace, *QUICK, *options)
