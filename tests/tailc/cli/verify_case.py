"""Helpers of test_verify.py that other tests use too."""

from __future__ import annotations

from random import Random

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.toy import with_lines, write_toy

QUICK = ["--requests", "1000", "--replicates", "50"]
P95 = ("{percentile: 99%, latency: 200ms}", "{percentile: 95%, latency: 400ms}")


def trace(seed, requests, mean_ms=60.0, gap_ms=20.0):
    """Exponential demands, a request each 20 ms."""
    draw = Random(seed)
    rows = [f"{i * gap_ms:g},{draw.expovariate(1 / mean_ms) + 0.01:.3f}" for i in range(requests)]
    return "at_ms,demand_ms\n" + "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    write_toy(folder, with_lines(P95), trace(1, 2_000))
    compile_in(folder, "toy.yaml", "-o", "toy")
    (folder / "new.csv").write_text(trace(2, 600))
    return folder


@pytest.fixture
def compiled(folder, copied):
    """A policy from 2,000 requests in `toy.tailc`, and 600 more of its service in `new.csv`."""
    return copied(folder)


def judged(tailc, *options, trace="new.csv"):
    return tailc("verify", "toy.tailc", "--trace", trace, *QUICK, *options)
