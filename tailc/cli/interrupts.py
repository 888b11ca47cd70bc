"""SIGINT, SIGTERM and SIGHUP end a command within a second, also in the middle of a compiled loop.

Python itself answers a signal between two steps of its own, and a compiled loop is one step that
may take minutes. A thread hears of every signal at once, lets the command end in its own way for a
while, and then ends the process.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from tailc.errors import ExitCode

_CODES = {
    signal.SIGINT: ExitCode.INTERRUPTED,
    signal.SIGTERM: ExitCode.TERMINATED,
    signal.SIGHUP: ExitCode.HUNG_UP,
}
_GRACE_S = 0.5
# What a terminal is told where a progress bar had hidden its cursor: the line is empty again.
_SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"


class Terminated(BaseException):
    """SIGTERM or SIGHUP has come; it goes the way of KeyboardInterrupt."""

    def __init__(self, code: ExitCode) -> None:
        self.code = code


class Interrupts:
    """Hears of signals from now on; `tell` says that the command was ended with that exit code."""

    def __init__(self, tell: Callable[[ExitCode], object]) -> None:
        self._tell = tell
        self._is_heard = False
        self._heard, hear = os.pipe()
        os.set_blocking(hear, False)
        signal.set_wakeup_fd(hear, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores SIGHUP
                signal.signal(number, _terminate)
        threading.Thread(target=self._end_late, daemon=True).start()

    def leave(self, code: int) -> NoReturn:
        """End the process. After a signal, do not wait for threads that still compute."""
        if not self._is_heard:
            sys.exit(code)
        _end(code)

    def _end_late(self) -> None:
        """Where the command has not ended some time after a signal, end it."""
        while (number := os.read(self._heard, 1)[0]) not in _CODES:
            pass
        self._is_heard = True
        time.sleep(_GRACE_S)
        code = _CODES[signal.Signals(number)]
        try:
            if sys.stderr.isatty():
                sys.stderr.write(_SHOW_CURSOR)
            self._tell(code)
        finally:  # nobody may be there to be told
            _end(code)


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(_CODES[signal.Signals(number)])


def _end(code: int) -> NoReturn:
    """End at once: processes that were started, and what is to be removed at an end, first."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    atexit._run_exitfuncs()
    os._exit(code)
