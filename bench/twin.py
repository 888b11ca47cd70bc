"""The C++ twin of the replay engine, built and called: the limit that the engine is compared with.

Multiplications and additions are not fused, so that both round alike and every latency is the
same to the bit.
"""

from __future__ import annotations

import ctypes
import dataclasses
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import LadderArrays
from tailc.models.workload import Workload

SOURCE = Path(__file__).parent / "cpp" / "replay_twin.cpp"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
PHASES = 4

_WHOLE, _FLAG, _REAL, _SHORT = (
    ctypes.POINTER(kind)
    for kind in (ctypes.c_int64, ctypes.c_uint8, ctypes.c_double, ctypes.c_int32)
)


class _Demand(ctypes.Structure):
    _fields_ = (
        ("requests", ctypes.c_int64),
        ("arrival_ns", _WHOLE),
        ("work_ns", _WHOLE),
        ("curve", _SHORT),
        ("speed", _REAL),
    )


class _Table(ctypes.Structure):
    _fields_ = (
        ("loads", ctypes.c_int64),
        ("rungs", ctypes.c_int64),
        ("row_of_load", _SHORT),
        ("on_exit", _FLAG),
        ("delay_ns", _WHOLE),
        ("reach_ns", _WHOLE),
        ("due_after_ns", _WHOLE),
        ("threads_ppm", _WHOLE),
        ("quantum_ns", ctypes.c_int64),
        ("keeps_row", ctypes.c_int64),
        ("capacity_ppm", ctypes.c_int64),
        ("boost_below_ppm", ctypes.c_int64),
        ("ages_from_arrival", ctypes.c_int64),
    )


class _Log(ctypes.Structure):
    _fields_ = (
        ("latency_ns", _WHOLE),
        ("wait_ns", _WHOLE),
        ("rung", _SHORT),
        ("thread_ns", _REAL),
        ("integrals", _REAL),
    )


def _pointer(array: NDArray, kind: type) -> object:
    assert array.flags.c_contiguous
    assert array.dtype.itemsize == ctypes.sizeof(kind._type_)  # pyright: ignore
    assert array.dtype.kind != "f" or kind is _REAL
    return array.ctypes.data_as(kind)


@dataclass(frozen=True, eq=False)
class TwinLog:
    """What the twin wrote, as an outcome has it."""

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    thread_ns: NDArray[np.float64]
    integrals: NDArray[np.float64]
    arrived: int


def differences(ours: object, theirs: TwinLog) -> list[str]:
    """What an outcome and the twin's log do not have in common, to the bit."""
    return [
        field.name
        for field in dataclasses.fields(TwinLog)
        if not np.array_equal(getattr(ours, field.name), getattr(theirs, field.name))
    ]


class Twin:
    """The compiled twin."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._replay = library.replay_twin
        self._replay.restype = ctypes.c_int64
        self._replay.argtypes = (
            ctypes.POINTER(_Demand),
            ctypes.POINTER(_Table),
            ctypes.c_int64,
            ctypes.c_int64,
            ctypes.POINTER(_Log),
        )

    @classmethod
    def build(cls, compiler: str = "g++", flags: tuple[str, ...] = FLAGS) -> Twin | None:
        """Compile it into a folder that goes at once; None where there is no compiler."""
        if shutil.which(compiler) is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "replay_twin.so"
            subprocess.run([compiler, *flags, str(SOURCE), "-o", str(library)], check=True)
            return cls(ctypes.CDLL(str(library)))

    def replay(
        self,
        load: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        table: LadderArrays,
        most_in_system: int,
        measured_from: int = 0,
    ) -> TwinLog:
        """What `SharedCoresEngine.replay` does, with one ladder, one pool and no cut-off."""
        assert len(table.row_of_load) == len(table.capacity_ppm) == 1
        assert table.cut_off_ns >= NEVER_NS
        assert not table.boosts_at_start
        requests = len(order)
        work_ns, curve = load.work_ns[order], load.curve_of[order]
        log = TwinLog(
            np.zeros(requests, np.int64),
            np.zeros(requests, np.int64),
            np.zeros(requests, np.int32),
            np.zeros(requests, np.float64),
            np.zeros((PHASES, 4), np.float64),
            0,
        )
        arrived = self._replay(
            _Demand(
                requests,
                _pointer(arrival_ns, _WHOLE),
                _pointer(work_ns, _WHOLE),
                _pointer(curve, _SHORT),
                _pointer(load.speed, _REAL),
            ),
            _Table(
                table.row_of_load.shape[1],
                len(table.threads_ppm),
                _pointer(table.row_of_load, _SHORT),
                _pointer(table.on_exit, _FLAG),
                _pointer(table.delay_ns, _WHOLE),
                _pointer(table.reach_ns, _WHOLE),
                _pointer(table.due_after_ns, _WHOLE),
                _pointer(table.threads_ppm, _WHOLE),
                table.quantum_ns,
                table.keeps_row,
                int(table.capacity_ppm[0]),
                table.boost_below_ppm,
                table.ages_from_arrival,
            ),
            measured_from,
            most_in_system,
            _Log(
                _pointer(log.latency_ns, _WHOLE),
                _pointer(log.wait_ns, _WHOLE),
                _pointer(log.rung, _SHORT),
                _pointer(log.thread_ns, _REAL),
                _pointer(log.integrals, _REAL),
            ),
        )
        return TwinLog(
            log.latency_ns, log.wait_ns, log.rung, log.thread_ns, log.integrals, int(arrived)
        )
