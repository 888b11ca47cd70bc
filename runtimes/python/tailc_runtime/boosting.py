"""Priority of the threads of boosted requests, where the platform permits it."""

from __future__ import annotations

import os
import sys
import threading

_NICENESS = -5


class Booster:
    """Gives threads of boosted requests a higher priority, by their niceness.

    `why_not` says why no thread is boosted; None if they are.
    """

    def __init__(self) -> None:
        self._own = threading.local()
        self.why_not = _why_not()

    def apply(self, is_boosted: bool) -> None:
        """Raise the priority of this thread, or restore it."""
        if self.why_not is not None or is_boosted == getattr(self._own, "is_boosted", False):
            return
        thread = threading.get_native_id()
        if is_boosted:
            self._own.niceness = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, _NICENESS if is_boosted else self._own.niceness)
        self._own.is_boosted = is_boosted


def _why_not() -> str | None:
    """Whether this thread may raise its priority and restore it."""
    if sys.platform != "linux":
        return "only Linux has a priority for each thread"
    thread = threading.get_native_id()
    try:
        before = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, _NICENESS)
        os.setpriority(os.PRIO_PROCESS, thread, before)
    except PermissionError:
        return "raising a priority needs CAP_SYS_NICE"
    return None
