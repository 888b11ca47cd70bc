"""Complete an elfen spec: read the file that it names, and check that sharing can gain."""

from __future__ import annotations

from pathlib import Path

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.policies.elfen.lanes_spec import (
    Interference,
    InterferenceByIpc,
    InterferenceFromFile,
    IpcSpec,
    IpcTableSpec,
    LanesSpec,
)
from tailc.policies.elfen.spec import BORROW_IDLE, BUDGETED, ElfenSpec
from tailc.specs.fields import PPM
from tailc.specs.load import LoadedSpec
from tailc.units import format_ppm

_TABLE = ("lanes", "ipc_table")


def complete(
    spec: ElfenSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[ElfenSpec, tuple[Finding, ...]]:
    """Replace a table of instructions per cycle by its values, in `lanes.ipc`.

    Returns the spec and warnings. A policy that shares cores becomes `borrow-idle` if sharing never
    gains. folder: base of relative paths; None: the working directory. Raises TailcError for a
    table that cannot be read, and if not exactly one of its rows matches.
    """
    spec = _with_ipc(spec, loaded, folder)
    slowdowns_ppm = _slowdowns_ppm(spec.lanes)
    if spec.policy not in BUDGETED or slowdowns_ppm is None or sum(slowdowns_ppm) < PPM:
        return spec, ()
    requests, batch = map(format_ppm, slowdowns_ppm)
    message = (
        f"sharing a core slows requests by {requests} and batch work by {batch}, so it does less "
        f"work than running them in turn: the policy is `{BORROW_IDLE}` and not `{spec.policy}`"
    )
    hint = f"set `policy: {BORROW_IDLE}` and remove `budget` and `charge`, or correct `lanes`"
    place = loaded.place("policy")
    idle = spec.model_copy(update={"policy": BORROW_IDLE, "budget": None, "charge": None})
    return idle, (Finding(Code.SHARING_LOSES, message, place, hint, Severity.WARNING),)


def _slowdowns_ppm(lanes: LanesSpec) -> tuple[int, int] | None:
    """Slowdowns of requests and of batch work [1e-6]; None if a replay has to find them."""
    match lanes.slower:
        case Interference(interference_ppm=ppm):
            slower_ppm = ppm
        case InterferenceByIpc(ipc=ipc):
            slower_ppm = ipc.interference_ppm
        case _:
            return None
    batch_ppm = lanes.batch_slowdown_ppm
    return slower_ppm, slower_ppm if batch_ppm is None else batch_ppm


def _with_ipc(spec: ElfenSpec, loaded: LoadedSpec, folder: Path | None) -> ElfenSpec:
    slower = spec.lanes.slower
    if not isinstance(slower, InterferenceFromFile):
        return spec
    read = InterferenceByIpc.model_construct(ipc=_read(slower.ipc_table, loaded, folder))
    lanes = spec.lanes.model_copy(update={"slower": read})
    return spec.model_copy(update={"lanes": lanes})


def _read(table: IpcTableSpec, loaded: LoadedSpec, folder: Path | None) -> IpcSpec:
    from tailc.traces.ipc_table import read_ipc

    path = table.file if folder is None else str(folder / table.file)
    matching = read_ipc(path, table.alone, table.shared, tuple(sorted(table.where.items())))
    place = loaded.place(*_TABLE)
    if len(matching) != 1:
        message = f"`ipc_table` must select one row of `{table.file}`, not {len(matching)}"
        rows = ", ".join(str(each.row) for each in matching[:3])
        hint = f"add columns to `where`, which now selects the rows {rows}, ..."
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))
    row = matching[0]
    if row.shared > row.alone:
        message = f"row {row.row} of `{table.file}` has `{row.shared:g}` instructions per cycle "
        message += f"with batch work, but only `{row.alone:g}` alone"
        raise TailcError(
            Finding(Code.CONFLICT, message, place, ("check whether the two columns are swapped"))
        )
    alone_ppm, shared_ppm = (max(round(ipc * PPM), 1) for ipc in (row.alone, row.shared))
    return IpcSpec.model_construct(alone_ppm=alone_ppm, shared_ppm=shared_ppm)
