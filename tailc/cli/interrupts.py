"""Signal handling: SIGINT, SIGTERM and SIGHUP end a command within a second.

Python handles a signal between two bytecode instructions, and a compiled loop is one instruction
that may take minutes. A thread notices every signal at once, gives the command time to end
normally, and then ends the process.
"""

from __future__ import annotations

import atexit
import contextlib
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
# Written to a terminal whose cursor a progress bar has hidden: show it, and clear the line.
_SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"


class TerminationSignal(BaseException):
    """Exception for the signals SIGTERM and SIGHUP, handled where KeyboardInterrupt is handled."""

    def __init__(self, code: ExitCode) -> None:
        self.code = code


class Interrupts:
    """Signal handlers with a watchdog thread.

    report: called with the exit code if a signal ends the command.
    """

    def __init__(self, report: Callable[[ExitCode], object]) -> None:
        self._report = report
        self._is_heard = False
        self._heard, hear = os.pipe()
        os.set_blocking(hear, False)
        signal.set_wakeup_fd(hear, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores SIGHUP
                signal.signal(number, _terminate)
        threading.Thread(target=self._end_late, daemon=True).start()

    def leave(self, code: int) -> NoReturn:
        """End the process at once, without freeing its objects one by one, which takes up to 0.1 s.

        After a signal, do not wait for threads that still compute.
        """
        if not self._is_heard:
            with contextlib.suppress(OSError):  # a reader has closed the pipe
                sys.stdout.flush()
                sys.stderr.flush()
        _end(code)

    def _end_late(self) -> None:
        """End the process if the command has not ended some time after a signal."""
        while (number := os.read(self._heard, 1)[0]) not in _CODES:
            pass
        self._is_heard = True
        time.sleep(_GRACE_S)
        code = _CODES[signal.Signals(number)]
        try:
            if sys.stderr.isatty():
                sys.stderr.write(_SHOW_CURSOR)
            self._report(code)
        finally:  # standard error may be closed
            _end(code)


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise TerminationSignal(_CODES[signal.Signals(number)])


def _end(code: int) -> NoReturn:
    """End at once: stop child processes and remove temporary files first."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    atexit._run_exitfuncs()
    os._exit(code)
