"""The spec with measured instructions per cycle read from the file that it names."""

from __future__ import annotations

from pathlib import Path

from tailc.errors import Code, Finding, TailcError
from tailc.policies.elfen.lanes_spec import (
    InterferenceByIpc,
    InterferenceFromFile,
    IpcSpec,
    IpcTableSpec,
)
from tailc.policies.elfen.spec import ElfenSpec
from tailc.specs.fields import PPM
from tailc.specs.load import LoadedSpec

_TABLE = ("lanes", "ipc_table")


def complete(
    spec: ElfenSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[ElfenSpec, tuple[Finding, ...]]:
    """The spec with `lanes.ipc` in place of a table, and no warnings.

    `folder` is where relative paths begin; None: where the process runs. Raises TailcError for a
    table that cannot be read, and where not exactly one row of it is kept.
    """
    slower = spec.lanes.slower
    if not isinstance(slower, InterferenceFromFile):
        return spec, ()
    read = InterferenceByIpc.model_construct(ipc=_read(slower.ipc_table, loaded, folder))
    lanes = spec.lanes.model_copy(update={"slower": read})
    return spec.model_copy(update={"lanes": lanes}), ()


def _read(table: IpcTableSpec, loaded: LoadedSpec, folder: Path | None) -> IpcSpec:
    from tailc.traces.ipc_table import read_ipc

    path = table.file if folder is None else str(folder / table.file)
    found = read_ipc(path, table.alone, table.shared, tuple(sorted(table.where.items())))
    place = loaded.place(*_TABLE)
    if len(found) != 1:
        message = f"`ipc_table` keeps {len(found)} rows of `{table.file}`, where one is wanted"
        rows = ", ".join(str(each.row) for each in found[:3])
        hint = f"name columns in `where`: rows {rows}, ... are kept"
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))
    row = found[0]
    if row.shared > row.alone:
        message = f"row {row.row} of `{table.file}` has `{row.shared:g}` instructions per cycle "
        message += f"beside batch work, and `{row.alone:g}` alone"
        raise TailcError(Finding(Code.CONFLICT, message, place, "check which column is which"))
    alone_ppm, shared_ppm = (max(round(ipc * PPM), 1) for ipc in (row.alone, row.shared))
    return IpcSpec.model_construct(alone_ppm=alone_ppm, shared_ppm=shared_ppm)
