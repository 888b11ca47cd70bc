"""Speed-up curves in millionths: one for all requests, one per class, or one per request."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.arrow import numpy_of, text_array
from tailc.traces.cells import MEND, Cells, as_text, positive, text_as_cell
from tailc.traces.reading import Curve

PPM = 1e6
MAX_SPEEDUP = 1e6


@dataclass(frozen=True, eq=False)
class Curves:
    """The speed-up curves of a trace, and the curve of each request.

    speedup: float64 (curves, degrees). of: int32 (requests,), number of the curve. names: one per
    curve, or ().
    """

    speedup: NDArray[np.float64]
    of: NDArray[np.int32]
    names: tuple[str, ...]


def common_curves(requests: int, curve: Curve, max_degree: int | None) -> Curves:
    """Make the speed-up curves of a trace in which all requests follow the same curve."""
    speedup = _stack([curve], max_degree)
    return Curves(speedup, np.zeros(requests, dtype=np.int32), (curve.name,) if curve.name else ())


def curves_by_class(
    cells: Cells, column: str, curves: Sequence[Curve], max_degree: int | None
) -> Curves:
    """Look up each row's speed-up curve by its class; report cells whose class has no curve."""
    names = tuple(curve.name or "" for curve in curves)
    wanted = text_array([text_as_cell(name) for name in names])
    index = pc.index_in(as_text(cells.columns[column]), value_set=wanted)
    of = np.nan_to_num(numpy_of(index), nan=-1)
    listing = ", ".join(f"`{name}`" for name in names)
    cells.refuse(
        of < 0,
        column,
        Code.UNKNOWN_CLASS,
        "is a class without a speed-up curve",
        f"correct the cell to one of {listing}, or add the class to `speedup.classes`",
    )
    return Curves(_stack(curves, max_degree), of.astype(np.int32), names)


def curves_by_request(cells: Cells, columns: Sequence[str]) -> Curves:
    """Read a speed-up curve for each row, from one column per degree (number of threads).

    Equal curves are stored once.
    """
    return distinct_curves(np.stack([_speedups(cells, name) for name in columns], axis=1))


def _speedups(cells: Cells, name: str) -> NDArray[np.float64]:
    """A column of speed-ups; records cells that are too small for millionths."""
    speedup = positive(cells, name, MAX_SPEEDUP)
    tiny = "is below half a millionth, the smallest speed-up"
    cells.refuse(vanishes(speedup), name, Code.OUT_OF_RANGE, tiny, MEND)
    return speedup


def vanishes(speedup: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each speed-up is 0 after rounding to millionths."""
    return np.rint(speedup * PPM) == 0


def distinct_curves(speedup: NDArray[np.float64]) -> Curves:
    """Find the different curves among rows of speed-ups (requests, degrees), in order."""
    millionths = np.ascontiguousarray(np.rint(speedup * PPM))
    width = millionths.shape[1] * millionths.itemsize
    rows = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(millionths), [None, pa.py_buffer(millionths)]
    ).dictionary_encode()
    first = np.frombuffer(b"".join(rows.dictionary.to_pylist()), dtype=np.float64)
    return Curves(first.reshape(-1, millionths.shape[1]) / PPM, numpy_of(rows.indices), ())


def _stack(curves: Sequence[Curve], max_degree: int | None) -> NDArray[np.float64]:
    return np.array([curve.speedup_ppm[:max_degree] for curve in curves]) / PPM
