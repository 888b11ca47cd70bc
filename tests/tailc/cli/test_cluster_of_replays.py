"""Replays on a cluster: the output is that of the same command without it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest

from tailc.tasks import cluster as clusters
from tailc.tasks.processes import LocalProcesses
from tests.tailc.cli.compiling import compile_in
from tests.tailc.toy import with_lines, write_toy

QUICK = ("--trace", "held.csv", "--requests", "500", "--replicates", "50", "--no-progress")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    for name, latency in (("old", "200ms"), ("new", "210ms")):
        write_toy(folder, with_lines(("latency: 200ms", f"latency: {latency}")))
        compile_in(folder, "toy.yaml", "-o", name)
    rows = "".join(f"{number},{10 + number * number % 97}\n" for number in range(400))
    (folder / "held.csv").write_text(f"request,demand_ms\n{rows}")
    return folder


@pytest.fixture
def connections(folder, copied, monkeypatch):
    """Names of clusters that commands connect to; tasks run in this process."""
    copied(folder)
    names: list[str] = []

    @contextmanager
    def connected(name):
        names.append(name)
        yield LocalProcesses(1)

    monkeypatch.setattr(clusters, "connected", connected)
    return names


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "new", "--baselines", "seq"),
        ("size", "new", "--baselines", "none"),
        ("diff", "old", "new"),
    ],
)
def test_the_output_is_that_of_threads(connections, tailc, words):
    here = tailc(*words, *QUICK)
    there = tailc(*words, *QUICK, "--cluster", "tcp://10.0.0.1:8786")
    assert (there.code, there.out) == (here.code, here.out)
    assert connections == ["tcp://10.0.0.1:8786"]


def test_a_comparison_without_requests_has_nothing_to_divide(connections, tailc):
    ended = tailc("diff", "old", "new", "--cluster", "local:2")
    assert ended.code == 64
    assert "without requests to replay" in ended.err
    assert connections == []


@pytest.mark.parametrize("command", ["verify", "size"])
def test_shares_have_no_requests_to_divide(connections, tailc, command):
    policy = str(Path(__file__).parents[3] / "examples/autopro/expected.tailc")
    ended = tailc(command, policy, "--trace", "held.csv", "--cluster", "local:2")
    assert ended.code == 64
    assert "`--cluster` divides replays of requests" in ended.err
    assert connections == []
