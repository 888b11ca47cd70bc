"""Adapters that do what no solver should; each is loaded in a child."""

import atexit
import ctypes
import os
import signal
import struct
import subprocess
import sys
import time

import numpy as np
from tailc_solvers.backends.frames import MAGIC, PREFIX, encode_frame, encoded_answer
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome, SolverPoint


def echo(program, limits):
    """An honest one: the lower bounds."""
    return SolverAnswer(
        SolverOutcome.FEASIBLE, SolverPoint(program.lower, float(program.cost @ program.lower))
    )


def hangs_on_odd_seeds(program, limits):
    return hang(program, limits) if limits.seed % 2 else echo(program, limits)


def hang(program, limits):
    while True:
        time.sleep(1)


def spin(program, limits):
    while True:
        pass


def leave(program, limits):
    os._exit(3)


def leave_in_silence(program, limits):
    os._exit(0)


def quits(program, limits):
    """Closes its pipe first and takes a while to go."""
    atexit.register(time.sleep, 0.2)
    raise SystemExit(4)


def segfault(program, limits):
    ctypes.string_at(0)


def abort(program, limits):
    os.abort()


def hoard(program, limits):
    kept = []
    while True:
        kept.append(np.empty(1 << 24))


def hoard_and_die(program, limits):
    """As C++ does without a handler."""
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def chatter(program, limits):
    print("garbage", flush=True)
    os.write(1, b"\x00\xff" * 10_000)
    os.write(2, b"more garbage\n" * 10_000)
    subprocess.run(["echo", "from a grandchild"], check=True)
    return echo(program, limits)


def raises(program, limits):
    raise RuntimeError("the model is odd")


def _has_grandchildren() -> None:
    """Start one in this session and one in its own; all hold the pipe that the test watches."""
    descriptor = os.open(os.environ["WATCHED_PIPE"], os.O_WRONLY)
    for is_leader in (False, True):
        subprocess.Popen(["sleep", "600"], pass_fds=(descriptor,), start_new_session=is_leader)
    os.write(descriptor, b"ready\n")


def hangs_with_grandchildren(program, limits):
    _has_grandchildren()
    hang(program, limits)


def leaves_grandchildren(program, limits):
    _has_grandchildren()
    os._exit(3)


def answers_with_grandchildren(program, limits):
    _has_grandchildren()
    return echo(program, limits)


def stops_its_guard(program, limits):
    os.kill(os.getppid(), signal.SIGSTOP)
    hang(program, limits)


def needs_what_is_not_there(program, limits):
    import a_library_that_nobody_has  # noqa: F401


def no_answer_at_all(program, limits):
    return "an answer"


def _write(data: bytes) -> None:
    descriptor = int(sys.argv[2])
    os.write(descriptor, data)
    time.sleep(600)


def rubbish(program, limits):
    _write(np.random.default_rng(limits.seed).bytes(int(limits.nodes)))


def truncated(program, limits):
    _write(encoded_answer(echo(program, limits))[:-8])


def truncated_and_gone(program, limits):
    os.write(int(sys.argv[2]), encoded_answer(echo(program, limits))[:-8])
    os._exit(0)


def too_much(program, limits):
    _write(encoded_answer(echo(program, limits)) + b"and more")


def needs_what_is_broken(program, limits):
    raise ImportError("libodd.so: cannot open shared object file")


def huge(program, limits):
    _write(struct.pack("<4sQI", MAGIC, 1 << 60, 10))


def no_json(program, limits):
    _write(PREFIX.pack(MAGIC, 5, 5) + b"{]}\xff\x00")


def other_json(program, limits):
    _write(PREFIX.pack(MAGIC, 2, 2) + b"[]")


def deep_json(program, limits):
    text = b"[" * 100_000
    _write(PREFIX.pack(MAGIC, len(text), len(text)) + text)


def other_outcome(program, limits):
    head = {"outcome": "wonderful", "objective": 0, "bound": 0, "solver": "", "message": ""}
    _write(encode_frame(head, {}))


def text_objective(program, limits):
    head = {"outcome": "optimal", "objective": "0", "bound": 0, "solver": "", "message": ""}
    _write(encode_frame(head, {}))


def other_arrays(program, limits):
    head = {"outcome": "optimal", "objective": 0, "bound": 0, "solver": "", "message": ""}
    _write(encode_frame(head, {"y": np.zeros(2)}))
