"""Run a solver in its own process, with limits of wall time and memory.

Every failure has an outcome: a child that hangs is ended, one that crashes is replaced, and garbled
bytes are not read as an answer. Nothing is printed. `guard` runs the worker, and ends it with
everything that it started, also when this process is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Self

from tailc_solvers.backends.frames import (
    PREFIX_BYTES,
    READY,
    GarbledFrameError,
    body_bytes,
    decoded_answer,
    encoded_question,
)
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverAnswer, SolverOutcome

GUARD = "tailc_solvers.backends.guard"
CHUNK_BYTES = 1 << 20
"""Bytes per write to a child: the default limit of a pipe, so that most programs need one."""

LAST_WORDS_BYTES = 4_096
START_S = 30.0
"""Time in which a new child must load Python and its library [s]; it is not part of time limits."""

CODE_S = 1.0
"""Time in which a child must end after it has closed its pipe [s]."""

GUARD_S = 10.0
"""Time in which the guard must end its children [s]; it needs milliseconds."""

POLL_S = 0.002

NO_MEMORY = (b"bad_alloc", b"MemoryError", b"memory allocation of", b"annot allocate memory")
"""Parts of the last message of a process that ran out of memory."""


class Child:
    """Runs a solver in a child process, by one adapter `module:function`; a context manager.

    The process starts with the first program and serves many, because starting costs more than most
    programs. After a failure the next program starts a new process.
    """

    def __init__(self, adapter: str) -> None:
        self._adapter = adapter
        self._running: _Process | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def answer(self, program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
        """Send a program to the solver's process; return its answer or the kind of failure."""
        begun = time.monotonic()
        try:
            running = self._ready(limits.memory_bytes)
            begun = time.monotonic()
            frame = running.exchange(encoded_question(program, limits), limits.wall_s)
            return decoded_answer(frame)
        except TimeoutError:
            return self._timed_out(limits)
        except GarbledFrameError as error:
            return self._lost_answer(SolverOutcome.GARBLED, str(error))
        except (BrokenPipeError, EOFError):
            return self._crash_answer(limits, time.monotonic() - begun)
        except BaseException:
            self._end()
            raise

    def _ready(self, memory_bytes: int) -> _Process:
        """The child process, with its library loaded."""
        if self._running is None or self._running.memory_bytes != memory_bytes:
            self._end()
            self._running = _Process(self._adapter, memory_bytes)
            self._running.await_ready(START_S)
        return self._running

    def _crash_answer(self, limits: BackendLimits, elapsed_s: float) -> SolverAnswer:
        assert self._running is not None
        code, words = self._running.end()
        # The worker's own wall limit was reached first. A guard that was killed cannot report it.
        is_late = code == -signal.SIGKILL and elapsed_s >= limits.wall_s
        if code == -signal.SIGALRM or is_late:
            return self._timed_out(limits)
        if any(sign in words for sign in NO_MEMORY):
            return self._lost_answer(SolverOutcome.OUT_OF_MEMORY, "the solver ran out of memory")
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return self._lost_answer(SolverOutcome.CRASHED, f"the solver ended with {how}")

    def _timed_out(self, limits: BackendLimits) -> SolverAnswer:
        return self._lost_answer(SolverOutcome.TIMED_OUT, f"no answer within {limits.wall_s:g} s")

    def _lost_answer(self, outcome: SolverOutcome, message: str) -> SolverAnswer:
        self._end()
        return SolverAnswer(outcome, message=message)

    def _end(self) -> None:
        if self._running is not None:
            self._running.end()
        self._running = None


class _Process:
    """One worker process with its pipes."""

    def __init__(self, adapter: str, memory_bytes: int) -> None:
        self.memory_bytes = memory_bytes
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self._answers, answers = os.pipe()
        lifeline, self._lifeline = os.pipe()
        words = adapter, str(answers), str(memory_bytes), str(lifeline)
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-m", GUARD, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._words,
                pass_fds=(answers, lifeline),
                start_new_session=True,
                env=_environment(),
            )
        finally:
            os.close(answers)
            os.close(lifeline)
        assert self._child.stdin is not None
        self._questions = self._child.stdin.fileno()
        _widen(self._questions)
        os.set_blocking(self._questions, False)
        os.set_blocking(self._answers, False)

    def await_ready(self, wall_s: float) -> None:
        """Wait for the first byte; raises as `exchange` does."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            if not selector.select(wall_s):
                raise TimeoutError
        if (first := os.read(self._answers, len(READY))) != READY:
            raise (
                GarbledFrameError("the child did not report that it is ready")
                if first
                else EOFError
            )

    def exchange(self, question: bytes, wall_s: float) -> bytes:
        """Send a question and return the answer's frame.

        Raises TimeoutError, EOFError, BrokenPipeError or GarbledFrameError.
        """
        deadline = time.monotonic() + wall_s
        left = memoryview(question)
        received = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._questions, selectors.EVENT_WRITE)
            selector.register(self._answers, selectors.EVENT_READ)
            while not _is_whole(received):
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fd == self._answers:
                        received += self._read()
                    else:
                        left = left[os.write(self._questions, left[:CHUNK_BYTES]) :]
                        if not left:
                            selector.unregister(self._questions)
        return bytes(received)

    def _read(self) -> bytes:
        chunk = os.read(self._answers, CHUNK_BYTES)
        if not chunk:
            raise EOFError
        return chunk

    def end(self) -> tuple[int, bytes]:
        """End the child and all it started; return its exit code and last output. Idempotent."""
        if self._child.stdin is not None and not self._child.stdin.closed:
            if self._has_closed_its_pipe():
                # The process is about to end, and then has an exit code.
                self._await_end(CODE_S)
            os.close(self._lifeline)
            self._await_end(GUARD_S)
            # The child leads its own process group. Before it is reaped, its number is not reused.
            os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()
            self._child.stdin.close()
            os.close(self._answers)
        return self._child.returncode, self._last_words()

    def _has_closed_its_pipe(self) -> bool:
        try:
            return not os.read(self._answers, 1)
        except BlockingIOError:
            return False

    def _await_end(self, wall_s: float) -> None:
        """Wait until the guard has ended, without reaping it."""
        deadline = time.monotonic() + wall_s
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                return
            time.sleep(POLL_S)

    def _last_words(self) -> bytes:
        if self._words.closed:
            return b""
        self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, self._words.tell() - LAST_WORDS_BYTES))
        words = self._words.read()
        self._words.close()
        return words


def _widen(pipe: int) -> None:
    """Enlarge a pipe to hold a whole question, if the system allows it."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, CHUNK_BYTES)


def _is_whole(received: bytearray) -> bool:
    if len(received) < PREFIX_BYTES:
        return False
    return len(received) >= PREFIX_BYTES + body_bytes(bytes(received[:PREFIX_BYTES]))


def _environment() -> dict[str, str]:
    """The environment of this process, with one thread a library and the same import path."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
