"""The versions that an artifact names beside its answer."""

from __future__ import annotations

from importlib.metadata import version

import tailc

# Libraries whose arithmetic reaches the artifact.
_ARITHMETIC = ("numba", "numpy")


def versions() -> tuple[tuple[str, str], ...]:
    """(name, version) of tailc and of what computes for it, sorted by name."""
    pairs = [(name, version(name)) for name in _ARITHMETIC]
    return tuple(sorted([*pairs, ("tailc", tailc.__version__)]))
