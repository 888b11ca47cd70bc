"""Kernels are compiled by one of the workers that need them at once; the others wait for it.

numba keeps what is compiled beside the sources, but looks there before it compiles, and not again:
two workers that begin together would compile everything twice.
"""

from __future__ import annotations

import fcntl
import hashlib
from pathlib import Path

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_plain = Dispatcher.compile

# The folder of `compile_once`, for processes that are to do the same.
locks_of_session: list[Path] = []


def compile_once(locks: Path) -> None:
    """From here on, compile a kernel only while no other process with the same folder does."""
    locks.mkdir(exist_ok=True)
    locks_of_session[:] = [locks]
    # A kernel that calls itself is compiled while it is compiled.
    held: set[str] = set()

    def locked(self: Dispatcher, sig: object) -> object:
        code = self.py_func.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}".encode()
        name = hashlib.sha256(place).hexdigest()
        # One thread at a time, and a kernel before those that it calls: the order of the locks is
        # the same in every process.
        with global_compiler_lock:
            if name in held:
                return _plain(self, sig)
            held.add(name)
            try:
                with (locks / name).open("w") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    return _plain(self, sig)
            finally:
                held.remove(name)

    Dispatcher.compile = locked
