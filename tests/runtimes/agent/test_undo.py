"""The agent leaves nothing behind: at its end, after SIGKILL, and after a crash of all of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.runtimes.agent.program import contents, options, program, run, until
from tests.runtimes.agent.test_autopro import (
    drawn_ticks,
    groups_of,
    make_machine,
    policy_file,
    write_inputs,
)

FAST = {"estimate_us": 5_000, "step_us": 10_000, "window_us": 10_000, "enforce_us": 20_000}
V1_CPU, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


@contextmanager
def started(*words: object) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [str(program()), *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def live_words(folder: Path, layout: str) -> tuple[list[str], Path]:
    """A command that runs on a copy of a machine, with counters that stand still."""
    shares, policy = policy_file(folder, **FAST)
    root = make_machine(layout, folder / "machine", shares)
    counter = folder / "done"
    counter.write_text("100\n")
    sources = {one.name: str(counter) for one in shares.served_machines}
    words = ["run", str(policy), "--root", str(root), *groups_of(shares)]
    return [*words, *options("--throughput", sources)], root


@pytest.mark.parametrize("layout", ["v2-acpi", "v1-acpi-smt"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_all_is_undone_however_the_agent_ends(
    layout: str, number: signal.Signals, tmp_path: Path
) -> None:
    words, root = live_words(tmp_path, layout)
    before = contents(root)
    with started(*words) as agent:
        until(lambda: contents(root) != before, "limits are set")
        agent.send_signal(number)
        agent.wait()
        assert agent.returncode == (0 if number != signal.SIGKILL else -number)
        until(lambda: contents(root) == before, "limits are undone")


def test_what_the_watchdog_could_not_undo_is_undone_later(tmp_path: Path) -> None:
    words, root = live_words(tmp_path, "v2-acpi")
    before = contents(root)
    with started(*words) as agent:
        until(lambda: contents(root) != before, "limits are set")
        for child in children_of(agent.pid):
            os.kill(child, signal.SIGKILL)
        agent.kill()
        agent.wait()
    assert contents(root) != before
    assert run("undo", "--root", root).returncode == 0
    assert contents(root) == before


def test_a_watchdog_that_is_killed_is_replaced(tmp_path: Path) -> None:
    words, root = live_words(tmp_path, "v2-acpi")
    before = contents(root)
    with started(*words, "--listen", "127.0.0.1:0") as agent:
        until(lambda: contents(root) != before, "limits are set")
        (first,) = children_of(agent.pid)
        assert filtered(agent.pid) == {"2"}
        until(lambda: filtered(first) == {"2"}, "the watchdog has its filter, too")
        os.kill(first, signal.SIGKILL)
        until(lambda: children_of(agent.pid) not in ([first], []), "another watchdog has started")
        agent.kill()
        agent.wait()
        until(lambda: contents(root) == before, "limits are undone")
    assert contents(root) == before


def filtered(pid: int) -> set[str]:
    """How the system calls of each thread are filtered; 2: by a program."""
    statuses = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/status")]
    return {re.findall(r"^Seccomp:\s*(\d)", text, re.MULTILINE)[0] for text in statuses}


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_signal_ends_recorded_inputs(tmp_path: Path) -> None:
    shares, policy = policy_file(tmp_path)
    root = make_machine("v2-acpi", tmp_path / "machine", shares)
    inputs = write_inputs(tmp_path / "inputs.csv", shares, drawn_ticks(shares, seed=5, steps=9))
    words = ["run", policy, "--root", root, "--inputs", inputs, "--dry-run", *groups_of(shares)]

    def send_signal() -> None:
        """It stays pending until the agent looks for it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        os.kill(os.getpid(), signal.SIGTERM)

    command = [str(program()), *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, preexec_fn=send_signal
    )
    first = run(*words, "--ticks", 1).stdout
    assert done.stdout == first != run(*words).stdout


def test_two_agents_do_not_act_on_one_machine(tmp_path: Path) -> None:
    words, root = live_words(tmp_path, "v2-acpi")
    before = contents(root)
    with started(*words):
        until(lambda: contents(root) != before, "limits are set")
        done = run(*words)
        assert done.returncode == 75
        assert "another agent holds" in done.stderr
        done = run("undo", "--root", root)
        assert (done.returncode, "another agent holds" in done.stderr) == (75, True)


def test_without_inputs_all_limits_are_lifted(tmp_path: Path) -> None:
    words, root = live_words(tmp_path, "v2-acpi")
    before = contents(root)
    with started(*words, "--stale", "30ms"):
        until(lambda: contents(root) != before, "limits are set")
        (tmp_path / "done").rename(tmp_path / "gone")
        until(lambda: contents(root) == before, "limits are lifted")
        (tmp_path / "gone").rename(tmp_path / "done")
        until(lambda: contents(root) != before, "limits are set again")
    assert contents(root) == before


def test_a_group_that_begins_again_gets_its_limit_again(tmp_path: Path) -> None:
    """The counters do not go on, so the shares of the last machine do not change any more."""
    words, root = live_words(tmp_path, "v2-acpi")
    before = contents(root)
    (file,) = (root / path for path in before if path.endswith("nightly.slice/cpu.max"))
    with started(*words) as agent:
        until(lambda: file.read_text() != "max 100000\n", "the limit is set")
        file.unlink()
        file.write_text("max 100000\n")
        until(lambda: file.read_text() != "max 100000\n", "the limit is set again")
        agent.terminate()
        agent.wait()
    assert contents(root) == before


def write_undo_file(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def test_files_that_are_gone_and_half_a_record_do_not_hinder_the_others(tmp_path: Path) -> None:
    root, state = tmp_path / "machine", tmp_path / "undo"
    (root / "sys").mkdir(parents=True)
    (root / "sys" / "period").write_text("1\n")
    write_undo_file(state, "sys/period\t5\nsys/gone\t7\nsys/period\t1")
    done = run("undo", "--root", root, "--state", state)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "sys" / "period").read_text() == "5\n"
    assert state.read_text() == ""


def test_a_value_that_cannot_be_restored_is_an_error_and_is_kept(tmp_path: Path) -> None:
    root, state = tmp_path / "machine", tmp_path / "undo"
    blocked, period = root / "sys" / "blocked", root / "sys" / "period"
    blocked.mkdir(parents=True)
    period.write_text("1\n")
    write_undo_file(state, "sys/blocked\t7\nsys/period\t5\n")
    words = ("undo", "--root", root, "--state", state)
    done = run(*words)
    assert done.returncode == 73
    assert "not restored: sys/blocked: Is a directory" in done.stderr
    assert "run `tailc-agent undo`" in done.stderr
    assert (period.read_text(), state.read_text()) == ("5\n", "sys/blocked\t7\n")
    blocked.rmdir()
    blocked.write_text("1\n")
    assert run(*words).returncode == 0
    assert (blocked.read_text(), state.read_text()) == ("7\n", "")


def test_values_are_kept_if_the_root_is_no_machine(tmp_path: Path) -> None:
    state, text = tmp_path / "undo", "sys/period\t5\n"
    write_undo_file(state, text)
    done = run("undo", "--root", tmp_path / "none", "--state", state)
    assert (done.returncode, state.read_text()) == (73, text)
    assert "`--root` is of no machine" in done.stderr


@pytest.mark.parametrize("kind", ["writable by others", "symbolic link", "hard link", "pipe"])
def test_values_from_a_file_of_others_are_not_restored(kind: str, tmp_path: Path) -> None:
    root, state, target = tmp_path / "machine", tmp_path / "undo", tmp_path / "target"
    period = root / "sys" / "period"
    period.parent.mkdir(parents=True)
    period.write_text("1\n")
    target.write_text("sys/period\t5\n")
    target.chmod(0o600)
    if kind == "writable by others":
        target.rename(state)
        state.chmod(0o622)
    elif kind == "symbolic link":
        state.symlink_to(target)
    elif kind == "hard link":
        state.hardlink_to(target)
    else:
        os.mkfifo(state)
    assert run("undo", "--root", root, "--state", state).returncode == 73
    assert period.read_text() == "1\n"


@contextmanager
def real_groups(names: list[str]) -> Iterator[dict[str, Path]]:
    """Control groups of this machine for processor time, with a busy process in each."""
    base = V2 if (V2 / "cgroup.controllers").exists() else V1_CPU
    knob = "cpu.max" if base == V2 else "cpu.cfs_quota_us"
    folders = {name: base / f"tailc-test-{os.getpid()}-{name}" for name in names}
    busy: list[subprocess.Popen[bytes]] = []
    try:
        try:
            for folder in folders.values():
                folder.mkdir()
        except OSError as why:
            pytest.skip(f"no control group of our own: {why}")
        if not all((folder / knob).exists() for folder in folders.values()):
            pytest.skip(f"control groups without `{knob}`")
        for folder in folders.values():
            busy.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            (folder / "cgroup.procs").write_text(str(busy[-1].pid))
        yield folders
    finally:
        for process in busy:
            process.kill()
            process.wait()
        for folder in folders.values():
            until(lambda folder=folder: removed(folder), f"{folder} is removed")


def removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def limits_of(folder: Path) -> list[str]:
    names = ("cpu.max", "cpu.weight", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares")
    return [(folder / name).read_text() for name in names if (folder / name).exists()]


def used_s(folder: Path) -> float:
    """Processor time of a group."""
    usage = folder / "cpu.stat"
    for line in usage.read_text().splitlines():
        name, value = line.split()
        if name == "usage_usec":
            return int(value) / 1e6
    (process,) = (folder / "cgroup.procs").read_text().split()
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_on_real_control_groups_shares_are_quotas_and_sigkill_leaves_none(tmp_path: Path) -> None:
    """No quota changes while the use is measured: the kernel grants a full quota at each change."""
    shares, policy = policy_file(tmp_path, **FAST | {"step_us": 500_000})
    counter = tmp_path / "done"
    counter.write_text("100\n")
    sources = {one.name: str(counter) for one in shares.served_machines}
    with real_groups([one.name for one in shares.machines]) as folders:
        before = [limits_of(folder) for folder in folders.values()]
        groups = {name: f"/{folder.name}" for name, folder in folders.items()}
        words = ["run", policy, "--cores", 1, "--state", tmp_path / "undo"]
        words += [*options("--cgroup", groups), *options("--throughput", sources)]
        with started(*words) as agent:
            until(lambda: [limits_of(one) for one in folders.values()] != before, "limits are set")
            # The largest grant of all machines together is one core.
            begun, used = time.monotonic(), sum(map(used_s, folders.values()))
            time.sleep(0.2)
            used = sum(map(used_s, folders.values())) - used
            passed = time.monotonic() - begun
            slack_s = len(folders) * (2 * FAST["enforce_us"] / 1e6 + 2 / os.sysconf("SC_CLK_TCK"))
            assert used <= passed + slack_s
            agent.kill()
            agent.wait()
            until(lambda: [limits_of(one) for one in folders.values()] == before, "all is undone")
