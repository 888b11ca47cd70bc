"""Shares of a host: the agent writes what the reference controller decides."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tailc.artifact.files import write_policy
from tailc.forms.shares import PPM, Shares
from tailc.forms.shares_step import first_state, lag_ticks, tick
from tests.runtimes.agent.program import (
    LAYOUTS,
    contents,
    fake_machine,
    options,
    printed,
    run,
    would_write,
)
from tests.tailc.artifact.published import shares_policy

LEAST_QUOTA_US = 1_000
CPUS = {
    **dict.fromkeys(("v2-acpi", "intel-passive"), 4),
    **dict.fromkeys(("v1-acpi-smt", "amd-epp", "p-and-e-cores", "big-little"), 8),
    **dict.fromkeys(("virtual-hybrid", "virtual-v2"), 2),
    "two-sockets-hwp": 16,
}
Ticks = list[tuple[list[float], list[int]]]


def policy_file(folder: Path, **changes: object) -> tuple[Shares, Path]:
    """A policy for three machines, and its file."""
    policy = shares_policy()
    assert policy.shares is not None
    shares = replace(policy.shares, **changes)
    _, flat = write_policy(replace(policy, forms=(shares,)), folder / "policy")
    return shares, flat


def drawn_ticks(shares: Shares, seed: int, steps: int) -> Ticks:
    """Throughputs around the targets, some far below, with and without waiting work."""
    rng = Random(seed)
    targets = [(one.target_milli or 0) / 1_000 for one in shares.served_machines]
    count = steps * lag_ticks(shares)
    return [
        (
            [round(target * rng.choice((rng.uniform(0.7, 1.3), 0.1)), 3) for target in targets],
            [rng.choice((0, 3, 3, 3, 3, 3)) for _ in targets],
        )
        for _ in range(count)
    ]


def write_inputs(path: Path, shares: Shares, ticks: Ticks) -> Path:
    names = [one.name for one in shares.served_machines]
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("machine", "throughput", "waiting"))
        for throughput, waiting in ticks:
            rows.writerows(zip(names, throughput, waiting, strict=True))
    return path


def groups_of(shares: Shares) -> list[str]:
    return list(options("--cgroup", {one.name: f"/{one.name}.slice" for one in shares.machines}))


def make_machine(layout: str, folder: Path, shares: Shares) -> Path:
    fake_machine.make(layout, folder, [f"{one.name}.slice" for one in shares.machines])
    return folder


def quota_us(shares: Shares, granted_ppm: int, cpus: int, floor_ppm: int = 0) -> int:
    share = max(granted_ppm, floor_ppm)
    return max(share * shares.enforce_us * cpus // PPM, LEAST_QUOTA_US)


def expected_quotas(shares: Shares, ticks: Ticks, cpus: int, floor_ppm: int = 0) -> list[list[int]]:
    """By machine, the quotas of the reference controller, without repetitions."""
    state, quotas = first_state(shares), [[] for _ in shares.machines]
    for throughput, waiting in ticks:
        state = tick(shares, state, throughput, waiting)
        for of, granted in zip(quotas, state.granted_ppm, strict=True):
            quota = quota_us(shares, granted, cpus, floor_ppm)
            if of[-1:] != [quota]:
                of.append(quota)
    return quotas


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_machine_gets_the_quotas_of_the_reference_controller(
    layout: str, tmp_path: Path
) -> None:
    shares, policy = policy_file(tmp_path, enforce_us=50_000)
    ticks = drawn_ticks(shares, seed=len(layout), steps=12)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, ticks)
    root = make_machine(layout, tmp_path / "machine", shares)
    before = contents(root)
    lines = printed(
        *("run", policy, "--root", root, "--inputs", inputs, "--dry-run", *groups_of(shares))
    )
    expected = expected_quotas(shares, ticks, CPUS[layout])
    for machine, quotas in zip(shares.machines, expected, strict=True):
        folder = f"{machine.name}.slice"
        written = [
            int(value.split()[0])
            for path, value in would_write(lines)
            if f"/{folder}/cpu.max" in path or f"/{folder}/cpu.cfs_quota_us" in path
        ]
        assert written == quotas
    assert contents(root) == before


def test_the_journal_has_the_shares_of_every_step(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    ticks = drawn_ticks(shares, seed=7, steps=30)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, ticks)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    journal = tmp_path / "journal.csv"
    printed(
        *("run", policy, "--root", root, "--inputs", inputs, "--journal", journal),
        *groups_of(shares),
    )
    rows = list(csv.DictReader(journal.read_text().splitlines()))
    state, served = first_state(shares), len(shares.served_machines)
    for number, (throughput, waiting) in enumerate(ticks, start=1):
        had = state.granted_ppm
        state = tick(shares, state, throughput, waiting)
        if number % lag_ticks(shares):
            continue
        for _ in range(served):
            row = rows.pop(0)
            at = next(i for i, one in enumerate(shares.machines) if one.name == row["machine"])
            assert float(row["time_ms"]) == number * shares.estimate_us / 1_000
            assert round(float(row["share"]) * PPM) == had[at]
            assert round(float(row["next_share"]) * PPM) == state.granted_ppm[at]
    assert not rows


def test_no_machine_gets_less_than_the_floor(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path, enforce_us=50_000)
    ticks = drawn_ticks(shares, seed=3, steps=20)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, ticks)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    lines = printed(
        *("run", policy, "--root", root, "--inputs", inputs, "--dry-run", "--cores", 2),
        *("--floor", "7.5%", *groups_of(shares)),
    )
    quotas = [int(value.split()[0]) for path, value in would_write(lines) if "cpu.max" in path]
    assert min(quotas) == 7_500
    expected = expected_quotas(shares, ticks, cpus=2, floor_ppm=75_000)
    assert sorted(quotas) == sorted(quota for of in expected for quota in of)


@pytest.mark.parametrize("layout", ["v2-acpi", "v1-acpi-smt", "virtual-hybrid"])
def test_a_machine_without_share_can_be_frozen(layout: str, tmp_path: Path) -> None:
    """Both machines with a target need far more than the host: nothing is left."""
    shares, policy = policy_file(tmp_path)
    targets = [(one.target_milli or 0) / 1_000 for one in shares.served_machines]
    ticks: Ticks = [([0.2 * target for target in targets], [1] * len(targets))] * (
        9 * lag_ticks(shares)
    )
    inputs = write_inputs(tmp_path / "inputs.csv", shares, ticks)
    root = make_machine(layout, tmp_path / "machine", shares)
    lines = printed(
        *("run", policy, "--root", root, "--inputs", inputs, "--dry-run"),
        *("--zero", "freeze", *groups_of(shares)),
    )
    frozen = [value for path, value in would_write(lines) if "freeze" in path]
    assert frozen == (["THAWED", "FROZEN"] if layout == "v1-acpi-smt" else ["0", "1"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("machine,rate\nweb,1\n", "inputs.csv:1: no column `throughput`"),
        ("machine,throughput\nnobody,1\n", "inputs.csv:2: `nobody` in column `machine`"),
        ("machine,throughput\n{0},-1\n{1},1\n", "inputs.csv:2: `-1` in column `throughput`"),
        ("machine,throughput\n{0},1\n{1},fast\n", "inputs.csv:3: `fast` in column `throughput`"),
        ("machine,throughput\n{0},1\n{0},1\n", "comes twice in one tick"),
        ("machine,throughput\n{0},1\n", "lacks a machine with a target"),
        ("machine,throughput\n", "inputs.csv` has no rows"),
        ("machine,throughput\n{0}\n", "inputs.csv:2: 1 cells, but 2 columns"),
        ("machine,throughput,waiting\n{0},1,x\n{1},1,1\n", "`x` in column `waiting`"),
    ],
)
def test_wrong_inputs_are_refused_with_their_place(
    content: str, message: str, tmp_path: Path
) -> None:
    shares, policy = policy_file(tmp_path)
    inputs = tmp_path / "inputs.csv"
    inputs.write_text(content.format(*(one.name for one in shares.served_machines)))
    root = make_machine("virtual-v2", tmp_path / "machine", shares)
    done = run("run", policy, "--root", root, "--inputs", inputs, *groups_of(shares))
    assert done.returncode == 65
    assert message in done.stderr
    assert "= help: " in done.stderr
