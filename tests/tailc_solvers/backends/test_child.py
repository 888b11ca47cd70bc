"""Whatever a solver does in its child is a typed outcome here."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import Answer, Limits, LinearProgram, Outcome

from tests.tailc_solvers.backends.answers import point_of

PROGRAM = LinearProgram.build([1.0, 2.0], [3.0, 4.0], 10.0, [])
ROGUES = "tests.tailc_solvers.backends.rogues"
SHORT = Limits(wall_s=1.0)
# Limits of what ends by itself: so long that they only end a hang, however busy the machine is.
LONG = Limits(wall_s=300.0)
HANG_S = 300.0


def child(name: str) -> Child:
    return Child(f"{ROGUES}:{name}")


def answered(name: str, limits: Limits = LONG) -> Answer:
    with child(name) as solver:
        return solver.answer(PROGRAM, limits)


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """A busy machine starts and ends processes late."""
    monkeypatch.setattr("tailc_solvers.backends.child.START_S", HANG_S)
    monkeypatch.setattr("tailc_solvers.backends.child.CODE_S", 10.0)


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


@pytest.mark.parametrize("name", ["hang", "spin", "leaves_a_grandchild"])
def test_a_solver_that_does_not_end_is_ended(name):
    begun = time.monotonic()
    found = answered(name, SHORT)
    assert found.outcome is Outcome.TIMED_OUT
    assert found.message == "no answer within 1 s"
    # By themselves they would take twice that time, or forever.
    assert time.monotonic() - begun < HANG_S


def test_what_a_solver_started_ends_with_it():
    mark = 10**9 + os.getpid()
    assert answered("leaves_a_grandchild", Limits(wall_s=1, seed=mark)).outcome is Outcome.TIMED_OUT
    deadline = time.monotonic() + HANG_S
    while is_running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(mark)


def is_running(mark: int) -> bool:
    """Whether a process whose command line ends with the mark exists and is no zombie."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.joinpath("cmdline").read_bytes().rstrip(b"\x00").endswith(str(mark).encode()):
                return True
        except OSError:
            continue
    return False


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
    assert found.outcome is Outcome.CRASHED
    assert found.message == f"the solver ended with {how}"


@pytest.mark.parametrize("name", ["hoard", "hoard_and_die"])
def test_a_solver_that_needs_too_much_memory_is_told_apart_from_a_crash(name):
    found = answered(name, Limits(wall_s=HANG_S, memory_bytes=1 << 30))
    assert found.outcome is Outcome.OUT_OF_MEMORY


def test_what_a_solver_prints_is_not_seen_and_not_read(capfd):
    assert answered("chatter").outcome is Outcome.FEASIBLE
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
    assert answered(name).outcome is Outcome.GARBLED


def test_random_bytes_are_garbled_whatever_they_are():
    for seed in range(5):
        with child("rubbish") as solver:
            found = solver.answer(PROGRAM, Limits(wall_s=HANG_S, seed=seed, nodes=1_000))
        assert found.outcome is Outcome.GARBLED


@pytest.mark.parametrize("name", ["truncated", "rubbish"])
def test_half_an_answer_is_waited_for_and_no_longer(name):
    assert answered(name, Limits(wall_s=0.2, nodes=3)).outcome is Outcome.TIMED_OUT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raises", "RuntimeError: the model is odd"),
        ("no_answer_at_all", "AttributeError: 'str' object has no attribute 'point'"),
    ],
)
def test_what_an_adapter_raises_is_a_refusal(name, message):
    found = answered(name)
    assert found.outcome is Outcome.REFUSED
    assert found.message == message


def test_a_library_that_is_not_there_is_named():
    found = answered("needs_what_is_not_there")
    assert found.outcome is Outcome.NOT_INSTALLED
    assert found.message == "`a_library_that_nobody_has` is not installed"


def test_a_library_that_is_there_but_broken_is_as_good_as_missing():
    found = answered("needs_what_is_broken")
    assert found.outcome is Outcome.NOT_INSTALLED
    assert found.message == "it cannot be imported: libodd.so: cannot open shared object file"


def test_after_a_failure_the_next_question_starts_another_child():
    with child("slow_then_fine") as solver:
        assert solver.answer(PROGRAM, LONG).outcome is Outcome.FEASIBLE
        assert solver.answer(PROGRAM, Limits(wall_s=0.1)).outcome is Outcome.TIMED_OUT
        assert solver.answer(PROGRAM, LONG).outcome is Outcome.FEASIBLE


def test_a_child_whose_parent_is_gone_ends():
    script = (
        "import os; from tests.tailc_solvers.backends.test_child import *;"
        "c = child('echo'); c.answer(PROGRAM, LONG);"
        "print(c._running._child.pid, flush=True); os._exit(0)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, env=env, text=True
    )
    status = Path(f"/proc/{int(done.stdout)}/stat")
    deadline = time.monotonic() + HANG_S
    while status.exists() and " Z " not in status.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not status.exists() or " Z " in status.read_text()
