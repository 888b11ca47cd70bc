"""A policy that is opened again whenever its file changes."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, Self, Unpack

from tailc_runtime.budget_table import BudgetTable
from tailc_runtime.counters import UNREADABLE
from tailc_runtime.errors import PolicyError
from tailc_runtime.opening import (
    AnyPolicy,
    Chosen,
    Path,
    PolicyTables,
    content_of,
    ladders,
    of_class,
    of_form,
    opened_from,
)
from tailc_runtime.plan import Plan
from tailc_runtime.shares import Shares
from tailc_runtime.table import PolicyTable
from tailc_runtime.tail_table import TailTable
from tailc_runtime.terms import Asked, Terms

UNCHANGED, RELOADED, REFUSED = "unchanged", "reloaded", "refused"

# Longer than the coarsest clock of a file system.
_YOUNG_NS = 2 * 10**9


class Look(NamedTuple):
    """Result of checking the file; `why`: reason why its content was refused or could not be
    read."""

    change: str
    why: PolicyError | OSError | None = None


class _Stamp(NamedTuple):
    """Properties of a file that change with its content, after symbolic links are followed.

    They also change if another file is renamed over it, or a link on its path is replaced. A
    recently changed file may change again without a visible difference, because clocks of file
    systems are coarse.
    """

    seen: tuple[int, ...]
    is_young: bool

    @classmethod
    def of(cls, path: Path) -> _Stamp:
        now = os.stat(path)  # noqa: PTH116, paths may be of any kind
        times = now.st_mtime_ns, now.st_ctime_ns
        seen = now.st_dev, now.st_ino, now.st_size, *times
        return cls(seen, time.time_ns() - max(times) < _YOUNG_NS)


class Watched(Generic[Chosen]):
    """A policy that follows its file: after a change, the new policy replaces the current one.

    A refused policy leaves the current one in use, is counted once, and is read again after the
    next change; an unreadable file is tried at every check. The same content keeps the same policy
    with its state.
    """

    def __init__(self, path: Path, choose: Callable[[AnyPolicy], Chosen], asked: Asked) -> None:
        self._path, self._choose, self._asked = path, choose, asked
        self._stamp: _Stamp | None = _Stamp.of(path)
        data = content_of(path)
        # Of the policy in force, and of what was read last.
        self._held = self._last_read = hashlib.sha256(data).digest()
        self._current = opened_from(path, data, choose, Terms(**asked))
        self._is_unreadable = False
        self._looking = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def current(self) -> Chosen:
        """The current policy, for any thread; get it once for everything that one decision
        needs."""
        return self._current

    def check(self) -> Look:
        """Check the file once, now."""
        with self._looking:
            terms = Terms(**{**self._asked, "held": self._current})
            try:
                data = self._changed_content()
            except OSError as error:
                terms.counters.refuse(UNREADABLE)
                return Look(REFUSED, error)
            if data is None:
                return Look(UNCHANGED)
            try:
                self._current = opened_from(self._path, data, self._choose, terms)
            except PolicyError as error:
                return Look(REFUSED, error)
            self._held = self._last_read
            return Look(RELOADED)

    def start(self, interval_s: float = 1.0) -> Self:
        """Check the file at regular intervals in a thread of this process, until `stop`."""
        if interval_s <= 0:
            raise ValueError("the interval must be above 0")
        if self._thread is not None:
            raise RuntimeError("the file is already watched")
        self._stopped.clear()
        self._thread = threading.Thread(
            target=self._watch, args=(interval_s,), name="tailc-watch", daemon=True
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the thread; the current policy remains in use."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _watch(self, interval_s: float) -> None:
        while not self._stopped.wait(interval_s):
            self.check()

    def _changed_content(self) -> bytes | None:
        """Content of the file if it differs from that of the current policy, else None."""
        before, self._stamp = self._stamp, None
        was_unreadable, self._is_unreadable = self._is_unreadable, False
        is_touched = before is not None
        try:
            self._stamp = stamp = _Stamp.of(self._path)
            is_touched = before is None or before.seen != stamp.seen
            may_differ = is_touched or was_unreadable or (before is not None and before.is_young)
            return self._other_content(is_touched) if may_differ else None
        except OSError:
            # Files may have run out for a while: the next look tries again, but counts it once.
            self._is_unreadable = True
            if was_unreadable and not is_touched:
                return None
            raise

    def _other_content(self, is_touched: bool) -> bytes | None:
        data = content_of(self._path)
        digest = hashlib.sha256(data).digest()
        is_known = digest == self._held or (not is_touched and digest == self._last_read)
        self._last_read = digest
        return None if is_known else data


def watch_policy(
    path: Path, request_class: str | None = None, **asked: Unpack[Asked]
) -> Watched[PolicyTable]:
    """Watch a policy as opened by `open_policy`; call `start`. Raises like it."""
    return Watched(path, of_class(request_class), asked)


def watch_policies(path: Path, **asked: Unpack[Asked]) -> Watched[PolicyTables]:
    """Watch policies as opened by `open_policies`."""
    return Watched(path, ladders, asked)


def watch_tail_table(path: Path, **asked: Unpack[Asked]) -> Watched[TailTable]:
    """Watch a tail table as opened by `open_tail_table`."""
    return Watched(path, of_form(TailTable), asked)


def watch_shares(path: Path, **asked: Unpack[Asked]) -> Watched[Shares]:
    """Watch shares as opened by `open_shares`."""
    return Watched(path, of_form(Shares), asked)


def watch_plan(path: Path, **asked: Unpack[Asked]) -> Watched[Plan]:
    """Watch a plan as opened by `open_plan`."""
    return Watched(path, of_form(Plan), asked)


def watch_budget_table(path: Path, **asked: Unpack[Asked]) -> Watched[BudgetTable]:
    """Watch a budget table as opened by `open_budget_table`."""
    return Watched(path, of_form(BudgetTable), asked)
