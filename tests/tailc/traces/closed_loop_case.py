"""Helpers of test_closed_loop.py that other tests use too."""

import heapq

import numpy as np

MS = 1_000_000


def closed(clients, latency_ms, pause_ms=0.02):
    """When each client sends as soon as it is answered, after a short pause."""
    free, at = [0.0] * clients, []
    for latency in latency_ms:
        at.append(heapq.heappop(free))
        heapq.heappush(free, at[-1] + latency + pause_ms)
    return np.array(at) * MS, latency_ms * MS


def latencies(kind, requests=400):
    draw = np.random.default_rng(7)
    found = draw.exponential(5, requests) if kind == "exponential" else draw.lognormal(1, 0.5, 400)
    if kind == "stalled":
        found[100] = 300.0
    return found + 0.01
