"""Whatever a solver does in its child is a typed outcome here."""

import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tailc_solvers.backends.child import Child, _Process
from tailc_solvers.backends.frames import encoded_question
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverAnswer, SolverOutcome

from tests.tailc_solvers.backends.answers import point_of

PROGRAM = LinearProgram.build([1.0, 2.0], [3.0, 4.0], 10.0, [])
ROGUES = "tests.tailc_solvers.backends.rogues"
# Of what hangs: it cannot answer in time, however fast the machine is.
SHORT = BackendLimits(wall_s=0.1)
# Limits of what ends by itself: so long that they only end a hang, however busy the machine is.
LONG = BackendLimits(wall_s=300.0)
HANG_S = 300.0


def child(name: str) -> Child:
    return Child(f"{ROGUES}:{name}")


def answered(name: str, limits: BackendLimits = LONG) -> SolverAnswer:
    with child(name) as solver:
        return solver.answer(PROGRAM, limits)


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """A busy machine starts and ends processes late."""
    monkeypatch.setattr("tailc_solvers.backends.child.START_S", HANG_S)
    monkeypatch.setattr("tailc_solvers.backends.child.CODE_S", HANG_S)
    monkeypatch.setattr("tailc_solvers.backends.child.GUARD_S", HANG_S)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    before = children()
    yield
    # A child that was not waited for would still be there, ended or not.
    assert children() - before == set()


def children() -> set[str]:
    """Of this process, by their numbers; other tests may have some that last."""
    tasks = Path("/proc/self/task").iterdir()
    return {number for task in tasks for number in (task / "children").read_text().split()}


def test_one_child_answers_many_programs():
    with child("echo") as solver:
        first = solver.answer(PROGRAM, LONG)
        # Only the first has to wait for Python.
        asked = children()
        again = [solver.answer(PROGRAM, LONG) for _ in range(50)]
        assert children() == asked
    assert point_of(first).x.tolist() == [3.0, 4.0]
    assert {point_of(answer).objective for answer in (first, *again)} == {11.0}


def test_programs_larger_than_a_pipe_go_through_both_ways():
    n = 300_000
    program = LinearProgram.build(np.ones(n), np.arange(n), np.inf, [])
    with child("echo") as solver:
        found = solver.answer(program, LONG)
    assert (point_of(found).x == np.arange(n)).all()


@pytest.mark.parametrize("name", ["hang", "spin"])
def test_a_solver_that_does_not_end_is_ended(name):
    found = answered(name, SHORT)
    assert found.outcome is SolverOutcome.TIMED_OUT
    assert found.message == "no answer within 0.1 s"


def test_the_child_keeps_the_wall_limit_by_itself():
    # As where the process that asked is stopped: only the question has the limit.
    with child("hang") as solver:
        running = solver._ready(SHORT.memory_bytes)
        with pytest.raises(EOFError):
            running.exchange(encoded_question(PROGRAM, SHORT), HANG_S)
        code, _ = running.end()
    assert code == -signal.SIGALRM


def test_a_wall_limit_kept_by_the_child_is_a_timeout(monkeypatch):
    exchange = _Process.exchange
    monkeypatch.setattr(_Process, "exchange", lambda *asked: exchange(*asked[:2], HANG_S))
    assert answered("hang", SHORT).outcome is SolverOutcome.TIMED_OUT


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("leaves_grandchildren", SolverOutcome.CRASHED),
        ("answers_with_grandchildren", SolverOutcome.FEASIBLE),
    ],
)
def test_what_a_solver_started_ends_with_it(watched, name, outcome):
    found: list[SolverAnswer] = []
    asking = threading.Thread(target=lambda: found.append(answered(name)))
    asking.start()
    with watched() as is_ended:
        asking.join()
        assert is_ended()
    assert found[0].outcome is outcome


def test_what_a_hanging_solver_started_ends_with_it(watched):
    with child("hangs_with_grandchildren") as solver:
        running = solver._ready(LONG.memory_bytes)
        os.write(running._questions, encoded_question(PROGRAM, LONG))
        with watched() as is_ended:
            running.end()
            assert is_ended()


def test_a_guard_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr("tailc_solvers.backends.child.GUARD_S", 0.1)
    assert answered("stops_its_guard", SHORT).outcome is SolverOutcome.TIMED_OUT


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A pipe that rogues and what they start hold open; the context begins when they have it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setenv("WATCHED_PIPE", str(path))

    @contextmanager
    def watching():
        with path.open("rb") as pipe:
            assert pipe.readline() == b"ready\n"
            yield lambda: bool(select.select([pipe], [], [], HANG_S)[0]) and pipe.read() == b""

    return watching


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("leave", "exit status 3"),
        ("leave_in_silence", "exit status 0"),
        ("quits", "exit status 4"),
        ("segfault", "signal 11"),
        ("abort", "signal 6"),
        ("truncated_and_gone", "exit status 0"),
    ],
)
def test_a_solver_that_crashes_says_how(name, how):
    found = answered(name)
    assert found.outcome is SolverOutcome.CRASHED
    assert found.message == f"the solver ended with {how}"


@pytest.mark.parametrize("name", ["hoard", "hoard_and_die"])
def test_a_solver_that_needs_too_much_memory_is_told_apart_from_a_crash(name):
    found = answered(name, BackendLimits(wall_s=HANG_S, memory_bytes=1 << 30))
    assert found.outcome is SolverOutcome.OUT_OF_MEMORY


def test_what_a_solver_prints_is_not_seen_and_not_read(capfd):
    assert answered("chatter").outcome is SolverOutcome.FEASIBLE
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "name",
    [
        "too_much",
        "huge",
        "no_json",
        "other_json",
        "deep_json",
        "other_outcome",
        "text_objective",
        "other_arrays",
    ],
)
def test_bytes_that_are_no_answer_are_garbled(name):
    assert answered(name).outcome is SolverOutcome.GARBLED


def test_random_bytes_are_garbled_whatever_they_are():
    for seed in range(5):
        with child("rubbish") as solver:
            found = solver.answer(PROGRAM, BackendLimits(wall_s=HANG_S, seed=seed, nodes=1_000))
        assert found.outcome is SolverOutcome.GARBLED


@pytest.mark.parametrize("name", ["truncated", "rubbish"])
def test_half_an_answer_is_waited_for_and_no_longer(name):
    assert answered(name, BackendLimits(wall_s=0.2, nodes=3)).outcome is SolverOutcome.TIMED_OUT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raises", "RuntimeError: the model is odd"),
        ("no_answer_at_all", "AttributeError: 'str' object has no attribute 'point'"),
    ],
)
def test_what_an_adapter_raises_is_a_refusal(name, message):
    found = answered(name)
    assert found.outcome is SolverOutcome.REFUSED
    assert found.message == message


def test_a_library_that_is_not_there_is_named():
    found = answered("needs_what_is_not_there")
    assert found.outcome is SolverOutcome.NOT_INSTALLED
    assert found.message == "`a_library_that_nobody_has` is not installed"


def test_a_library_that_is_there_but_broken_is_as_good_as_missing():
    found = answered("needs_what_is_broken")
    assert found.outcome is SolverOutcome.NOT_INSTALLED
    assert found.message == "it cannot be imported: libodd.so: cannot open shared object file"


def test_after_a_failure_the_next_question_starts_another_child():
    fine, hanging = BackendLimits(wall_s=HANG_S, seed=2), BackendLimits(wall_s=0.1, seed=1)
    with child("hangs_on_odd_seeds") as solver:
        assert solver.answer(PROGRAM, fine).outcome is SolverOutcome.FEASIBLE
        assert solver.answer(PROGRAM, hanging).outcome is SolverOutcome.TIMED_OUT
        assert solver.answer(PROGRAM, fine).outcome is SolverOutcome.FEASIBLE


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_solver_whose_user_is_gone_ends_with_all_it_started(watched, number):
    user = started_user("hangs_with_grandchildren")
    with watched() as is_ended:
        user.send_signal(number)
        assert user.wait() == -number
        assert is_ended()


def test_a_solver_without_a_question_ends_when_its_user_is_gone(watched):
    user = started_user("answers_with_grandchildren", "time.sleep(600)")
    with watched() as is_ended:
        user.kill()
        user.wait()
        assert is_ended()


def started_user(name: str, after: str = "") -> subprocess.Popen:
    """A process that asks the rogue of that name."""
    script = f"""
import time
from tests.tailc_solvers.backends.test_child import *
solver = child({name!r})
solver.answer(PROGRAM, LONG)
{after}
"""
    path = os.pathsep.join(part for part in sys.path if part)
    return subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path})
