"""How many threads the jitted kernels use; the answer does not depend on it."""

from __future__ import annotations


def use_threads(threads: int | None) -> None:
    """Use `threads` threads from now on, at most as many as there are cores; None: all."""
    if threads is None:
        return
    from numba import config, set_num_threads

    set_num_threads(min(threads, config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
