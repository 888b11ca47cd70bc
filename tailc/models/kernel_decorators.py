"""Decorators that compile the event loop of a server with numba.

`loop` is for functions that allocate nothing and whose caller owns all arrays. It turns off numba's
reference counting (`_nrt`), which would take longer than the replay itself.

`part` is for the parts of the loop. LLVM inlines them into each caller: a call would pass every
array of the arguments field by field. `inline="always"` would make numba type the part again at
each call, which triples the compile time of look-aheads that are called from four places. Parts
have no wrappers for callers in Python, which halves the compile time of an engine; a call from
Python would end the process.

`once` is for a part that is called from one place. numba types it as lines of its caller, which
takes a quarter less compile time than a separate function.
"""

from __future__ import annotations

from numba import njit

# numba's type stubs do not have `_nrt`.
loop = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue]
part = njit(  # pyright: ignore[reportCallIssue]
    nogil=True, _nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
once = njit(inline="always")
