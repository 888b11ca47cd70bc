"""Encode programs, limits and answers as bytes, so that nothing a child sends is executed.

A frame is one message: a fixed signature, the length of the rest, the length of a JSON head, the
head, and the arrays in sequence. The head names each array with its type and number of elements.
Each part begins at a multiple of eight bytes, so that arrays are views of the frame: copying a
large program takes as long as solving it. Bytes that do not fit raise GarbledFrameError.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import asdict, fields

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import (
    BackendLimits,
    Basis,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
    Vector,
)
from tailc_solvers.course import SearchProgress

MAGIC = b"TLCF"
PREFIX = struct.Struct("<4sQI")
PREFIX_BYTES = PREFIX.size
ALIGNED = 8
"""Alignment of arrays [bytes]; the length of the prefix is a multiple of it."""

READY = b"\x06"
"""The first byte of a child, before any frame: its library is loaded."""

MOST_BYTES = 1 << 31
"""Of one frame: more is no answer."""

BASIS = ("basis_variables", "basis_rows")
COURSE = "course"
"""Name of the array with effort, bound and best value of each entry of the search course."""

_TYPES = {"f": np.dtype("<f8"), "i": np.dtype("<i8"), "b": np.dtype("?")}


class GarbledFrameError(ValueError):
    """The bytes are not a valid frame (a message between processes)."""


Arrays = dict[str, NDArray]


def encode_frame(head: dict, arrays: Arrays) -> bytes:
    """Encode a JSON head and named arrays as a frame, a message between processes.

    Numbers in the head may be infinite or NaN.
    """
    layout = [[name, a.dtype.kind, a.size] for name, a in arrays.items()]
    text = _pad(json.dumps({"head": head, "arrays": layout}).encode(), b" ")
    body = [
        _pad(np.ascontiguousarray(a, _TYPES[a.dtype.kind]).view(np.uint8).data, b"\0")
        for a in arrays.values()
    ]
    length = len(text) + sum(len(part) for part in body)
    return b"".join([PREFIX.pack(MAGIC, length, len(text)), text, *body])


def body_bytes(prefix: bytes) -> int:
    """Number of bytes that follow a frame's prefix, as the prefix states it."""
    if len(prefix) != PREFIX_BYTES:
        raise GarbledFrameError("the frame is incomplete")
    magic, length, head = PREFIX.unpack(prefix)
    if magic != MAGIC or not head <= length <= MOST_BYTES:
        raise GarbledFrameError("the frame has a wrong prefix")
    return length


def _pad(part: bytes | memoryview, end: bytes) -> bytes | memoryview:
    """Pad to a multiple of eight bytes."""
    lack = -len(part) % ALIGNED
    return bytes(part) + lack * end if lack else part


def decode_frame(frame: bytes | bytearray) -> tuple[dict, Arrays]:
    """Decode a frame (a message between processes) to its head and its arrays.

    The arrays are views of the frame.
    """
    if len(frame) - PREFIX_BYTES != body_bytes(bytes(frame[:PREFIX_BYTES])):
        raise GarbledFrameError("the frame has a wrong length")
    _, _, text = PREFIX.unpack(frame[:PREFIX_BYTES])
    try:
        read = json.loads(frame[PREFIX_BYTES : PREFIX_BYTES + text])
        head, layout = dict(read["head"]), [(str(n), str(k), int(s)) for n, k, s in read["arrays"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise GarbledFrameError("the frame has no head") from error
    return head, _arrays(layout, frame, PREFIX_BYTES + text)


def _arrays(layout: list[tuple[str, str, int]], body: bytes | bytearray, at: int) -> Arrays:
    """The arrays that begin at byte `at`."""
    arrays: Arrays = {}
    for name, kind, size in layout:
        dtype = _TYPES.get(kind)
        if dtype is None or size < 0 or at + size * dtype.itemsize > len(body):
            raise GarbledFrameError(f"the frame has no array `{name}`")
        arrays[name] = np.frombuffer(body, dtype, size, at)
        at += size * dtype.itemsize
        at += -at % ALIGNED
    if at != len(body):
        raise GarbledFrameError("the frame has further bytes")
    return arrays


def encoded_question(program: LinearProgram, limits: BackendLimits) -> bytes:
    """Encode a linear program and the solver's limits as a message to the solver's process."""
    arrays = {
        field.name: getattr(program, field.name)
        for field in fields(program)
        if field.name not in ("offset", "start")
    }
    arrays |= _parts(program.start)
    return encode_frame({"offset": program.offset, "limits": asdict(limits)}, arrays)


def decoded_question(frame: bytes | bytearray) -> tuple[LinearProgram, BackendLimits]:
    """Decode the message of `encoded_question` to a linear program and the solver's limits."""
    head, arrays = decode_frame(frame)
    start = _basis(arrays)
    program = LinearProgram(**arrays, offset=head["offset"], start=start)
    return program, BackendLimits(**head["limits"])


def encoded_answer(answer: SolverAnswer) -> bytes:
    """Encode a solver's answer as a message to the process that sent the program."""
    point, duals = answer.point, answer.duals
    arrays = {"x": point.x if point else None, "dual": duals.rows if duals else None}
    head = {
        "outcome": answer.outcome.value,
        "objective": point.objective if point else None,
        "bound": answer.bound,
        "solver": answer.solver,
        "message": answer.message,
    }
    there = {name: a for name, a in arrays.items() if a is not None}
    if answer.course:
        there[COURSE] = np.array(answer.course, dtype=np.float64).ravel()
    return encode_frame(head, there | _parts(duals.basis if duals else None))


def decoded_answer(frame: bytes) -> SolverAnswer:
    """Decode the message of `encoded_answer` to a solver's answer.

    Raises GarbledFrameError if the frame is not a valid answer.
    """
    head, arrays = decode_frame(frame)
    basis, course = _basis(arrays), _course(arrays)
    if set(arrays) - {"x", "dual"} or any(a.dtype.kind != "f" for a in arrays.values()):
        raise GarbledFrameError("the answer has other arrays")
    try:
        outcome = SolverOutcome(head["outcome"])
        return SolverAnswer(
            outcome=outcome,
            point=_point(arrays.get("x"), _number(head["objective"])),
            bound=_number(head["bound"]),
            duals=_duals(arrays.get("dual"), basis),
            solver=str(head["solver"]),
            message=str(head["message"]),
            course=course,
        )
    except (KeyError, ValueError) as error:
        raise GarbledFrameError("the answer has a wrong head") from error


def _point(x: Vector | None, objective: float | None) -> SolverPoint | None:
    """A point from both values or None; ValueError for one without the other."""
    if x is None and objective is None:
        return None
    if x is None or objective is None:
        raise ValueError("a point must have an objective")
    return SolverPoint(x, objective)


def _duals(rows: Vector | None, basis: Basis | None) -> Duals | None:
    """The duals; ValueError for a basis without multipliers."""
    if rows is None and basis is not None:
        raise ValueError("a corner must have multipliers")
    return None if rows is None else Duals(rows, basis)


def _parts(basis: Basis | None) -> Arrays:
    return {} if basis is None else dict(zip(BASIS, (basis.variables, basis.rows), strict=True))


def _basis(arrays: Arrays) -> Basis | None:
    """The basis in the arrays, or None."""
    parts = [arrays.pop(name) for name in BASIS if name in arrays]
    if not parts:
        return None
    if len(parts) != len(BASIS) or any(part.dtype.kind != "i" for part in parts):
        raise GarbledFrameError("a basis must have two arrays of integers")
    return Basis(*parts)


def _course(arrays: Arrays) -> tuple[SearchProgress, ...]:
    """The convergence trace in the arrays; empty if there is none."""
    course = arrays.pop(COURSE, np.zeros(0))
    if course.dtype.kind != "f" or course.size % len(SearchProgress._fields):
        raise GarbledFrameError("a course must have three numbers per entry")
    rows = course.reshape(-1, len(SearchProgress._fields))
    if not (np.isfinite(rows[:, 0]) & (rows[:, 0] >= 0)).all() or np.isnan(rows).any():
        raise GarbledFrameError("a course has an effort and no numbers that are none")
    return tuple(
        SearchProgress(int(effort), bound, found) for effort, bound, found in rows.tolist()
    )


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("the value must be a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf
