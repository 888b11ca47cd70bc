"""Measurements of a machine: how soon batch work leaves, and what a change of frequency takes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtimes.agent.program import contents, fake_machine, printed, run
from tests.runtimes.agent.test_undo import V2, removed, until

FREEZERS = {
    "v2": (V2, "cgroup.freeze"),
    "v2 next to v1": (V2 / "unified", "cgroup.freeze"),
    "v1": (V2 / "freezer", "freezer.state"),
}


@pytest.fixture(params=FREEZERS)
def real_group(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A control group of this machine whose processes can be stopped."""
    base, knob = FREEZERS[request.param]
    # Version 1 is used where version 2 has no group of that name.
    group = base / f"tailc-test-{os.getpid()}-{len(request.param)}"
    try:
        group.mkdir()
    except OSError as why:
        pytest.skip(f"no control group of our own: {why}")
    try:
        if not (group / knob).exists():
            pytest.skip(f"control groups without `{knob}`")
        yield group / knob
    finally:
        until(lambda: removed(group), f"{group} is removed")


def test_batch_work_of_this_machine_leaves_in_a_time_for_a_spec(
    real_group: Path, tmp_path: Path
) -> None:
    before = real_group.read_text()
    words = ["bench", "release", "--batch", f"/{real_group.parent.name}", "--repeat", 3]
    cpu = max(os.sched_getaffinity(0))
    measured, spec = printed(*words, "--cpu", cpu, "--state", tmp_path / "undo")
    assert f"on CPU {cpu} leaves after: median " in measured
    assert measured.endswith(" us, of 3")
    assert re.fullmatch(r"lanes: \{release: [1-9]\d*us\}", spec)
    assert real_group.read_text() == before


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("two-sockets-hwp", "the speed of CPU 0 does not follow its frequency"),
        ("v2-acpi", "the speed of CPU 0 does not follow its frequency"),
        ("virtual-v2", "CPU 0 has no cpufreq"),
    ],
)
def test_a_clock_that_changes_nothing_is_refused_and_restored(
    layout: str, message: str, tmp_path: Path
) -> None:
    fake_machine.make(layout, tmp_path)
    before = contents(tmp_path)
    done = run("bench", "clock", "--cpu", 0, "--root", tmp_path, "--repeat", 1)
    assert done.returncode == 69
    assert message in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bench"], "`bench` measures `clock` or `release`"),
        (["bench", "tides"], "`bench tides`"),
        (["bench", "release"], "needs `--batch PATH`"),
        (["bench", "clock", "--cpu", "x"], "it is a list such as"),
        (["bench", "clock", "--repeat", "0"], "`--repeat 0`"),
    ],
)
def test_a_wrong_measurement_is_explained(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.returncode == 64
    assert message in done.stderr
