"""Worker process: limit the memory, load one solver adapter, and answer programs.

Questions come on standard input, answers go to the descriptor ANSWERS of `guard`, which calls this
module. Standard output and error are left to the libraries.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import signal
import sys
from collections.abc import Callable
from io import BufferedReader

from tailc_solvers.backends.frames import (
    PREFIX_BYTES,
    READY,
    body_bytes,
    decoded_question,
    encoded_answer,
)
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverAnswer, SolverOutcome


def main() -> None:
    """Answer the linear programs on standard input with a solver, until the input is closed."""
    adapter, descriptor, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with os.fdopen(sys.stdin.fileno(), "rb") as questions, os.fdopen(descriptor, "wb") as answers:
        with contextlib.suppress(Exception):  # The first answer reports what is wrong.
            _adapter(adapter)
        answers.write(READY)
        answers.flush()
        while question := _read(questions):
            answers.write(_answer(adapter, question))
            answers.flush()


def _read(questions: BufferedReader) -> bytes | bytearray:
    prefix = questions.read(PREFIX_BYTES)
    if not prefix:
        return b""
    frame = bytearray(PREFIX_BYTES + body_bytes(prefix))
    frame[:PREFIX_BYTES] = prefix
    size = PREFIX_BYTES + questions.readinto(memoryview(frame)[PREFIX_BYTES:])
    return frame[:size] if size < len(frame) else frame


def _adapter(name: str) -> Callable[[LinearProgram, BackendLimits], SolverAnswer]:
    module, function = name.split(":")
    return getattr(importlib.import_module(module), function)


def _answer(adapter: str, question: bytes | bytearray) -> bytes:
    """The adapter's answer; any exception is a refusal."""
    program, limits = decoded_question(question)
    # The kernel also enforces the limit, because the asking process may be stopped or dead.
    signal.setitimer(signal.ITIMER_REAL, limits.wall_s)
    try:
        return encoded_answer(_adapter(adapter)(program, limits))
    except ModuleNotFoundError as error:
        answer = SolverAnswer(
            SolverOutcome.NOT_INSTALLED, message=f"`{error.name}` is not installed"
        )
    except ImportError as error:  # It is installed but broken.
        answer = SolverAnswer(
            SolverOutcome.NOT_INSTALLED, message=f"it cannot be imported: {error}"[:500]
        )
    except MemoryError:
        answer = SolverAnswer(SolverOutcome.OUT_OF_MEMORY, message="the solver ran out of memory")
    except Exception as error:  # An exception of the library, of any type.
        answer = SolverAnswer(
            SolverOutcome.REFUSED, message=f"{type(error).__name__}: {error}"[:500]
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return encoded_answer(answer)
