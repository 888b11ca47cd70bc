"""The spec with its table of measured cores read, and a word on cores that are never worth using.

A row fills in what the spec leaves out of a type; from there on it is as if it were written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.policies.slow_to_fast.spec import SlowToFastSpec
from tailc.specs.cores import PowerUnit, dominated
from tailc.specs.cores_fields import Power
from tailc.specs.cores_spec import CoresSpec, CoreTableSpec, CoreTypeSpec, LevelSpec
from tailc.specs.fields import PPM
from tailc.specs.load import LoadedSpec, spelled

if TYPE_CHECKING:
    from tailc.traces.core_table import MeasuredCore

_Part = TypeVar("_Part", CoreTypeSpec, LevelSpec)

_IN_WATTS = {"mW": 1e-3, "W": 1.0}
_PATHS = {CoreTypeSpec: ("cores", "types"), LevelSpec: ("cores", "dvfs", "levels")}


def complete(
    spec: SlowToFastSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[SlowToFastSpec, tuple[Finding, ...]]:
    """The spec with every core known, a warning for each type that is dropped, and of one alone.

    `folder` is where relative paths begin; None: where the process runs. Raises TailcError for a
    table that cannot be read, rows that are not there, and cores that do not fit together.
    """
    if spec.cores.table is not None:
        cores = _filled_in(spec.cores, spec.cores.table, loaded, folder)
        spec = spec.model_copy(update={"cores": cores})
        complaints = spec.core_complaints()
        if complaints:
            raise TailcError([loaded.finding(complaint) for complaint in complaints])
    return spec, (*_dropped(spec, loaded), *_alone(spec, loaded))


def _dropped(spec: SlowToFastSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    names = [each.name for each in spec.all_cores.types]
    parts = _PATHS[CoreTypeSpec if spec.cores.dvfs is None else LevelSpec]
    return tuple(
        Finding(
            Code.RUNG_DOMINATED,
            f"`{each.name}` is dropped: work costs no less energy there than on `{each.by}`, "
            "which is faster",
            loaded.place(*parts, names.index(each.name)),
            "leave it out of the server, or check its power",
            Severity.WARNING,
        )
        for each in dominated(spec.all_cores)
    )


def _alone(spec: SlowToFastSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    """A warning where requests can run on cores of one type only."""
    first, *others = spec.used_cores.types
    if others:
        return ()
    what, parts = ("type", _PATHS[CoreTypeSpec])
    if spec.cores.dvfs is not None:
        what, parts = ("frequency", _PATHS[LevelSpec])
    message = (
        f"requests run on cores of one {what}, `{first.name}`, whatever their "
        "age: the policy has nothing to choose"
    )
    hint = f"add a slower or faster {what}"
    return (Finding(Code.NO_CHOICE, message, loaded.place(*parts), hint, Severity.WARNING),)


def _filled_in(
    cores: CoresSpec, table: CoreTableSpec, loaded: LoadedSpec, folder: Path | None
) -> CoresSpec:
    reader = _Reader(table, loaded, folder)
    told: dict[str, object] = {"table": None}
    if cores.types is not None:
        told["types"] = reader.filled(cores.types)
    if cores.dvfs is not None:
        levels = reader.filled(cores.dvfs.levels)
        told["dvfs"] = cores.dvfs.model_copy(update={"levels": levels})
    return cores.model_copy(update=told)


class _Reader:
    """One table, read once for each row that a spec names."""

    def __init__(self, table: CoreTableSpec, loaded: LoadedSpec, folder: Path | None) -> None:
        self._table = table
        self._loaded = loaded
        self._path = table.file if folder is None else str(folder / table.file)

    def filled(self, parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
        """The types or levels with what their rows say; speeds relative to the first row's."""
        rows = [
            None if part.row is None else self._row(part, position)
            for position, part in enumerate(parts)
        ]
        first = next((row.speed for row in rows if row is not None), 1.0)
        return tuple(
            part if row is None else part.model_copy(update=self._told(part, row, first))
            for part, row in zip(parts, rows, strict=True)
        )

    def _row(self, part: CoreTypeSpec | LevelSpec, position: int) -> MeasuredCore:
        from tailc.traces.core_table import CoreColumns, read_cores

        table = self._table
        columns = CoreColumns(table.speed, table.power, table.idle_power, table.cores)
        where = tuple(sorted({**table.where, **(part.row or {})}.items()))
        try:
            found = read_cores(self._path, columns, where)
        except TailcError as error:
            raise TailcError([self._asked(f, part, position) for f in error.findings]) from None
        if len(found) == 1:
            return found[0]
        message = f"fits {len(found)} rows of `{table.file}`, where one is wanted"
        hint = f"name more columns: rows {', '.join(str(each.row) for each in found[:3])}, ... fit"
        place = self._loaded.place(*_PATHS[type(part)], position, "row")
        raise TailcError(Finding(Code.CONFLICT, f"`row` {message}", place, hint))

    def _asked(self, finding: Finding, part: CoreTypeSpec | LevelSpec, position: int) -> Finding:
        """The finding in the file, with where the spec asks for it."""
        table, row = ("cores", "table"), (*_PATHS[type(part)], position, "row")
        keys = ("cores", "idle_power", "power", "speed")
        named: dict[str | None, tuple[str | int, ...]] = {
            **{name: (*table, "where", name) for name in self._table.where},
            **{name: (*row, name) for name in part.row or {}},
            **{getattr(self._table, key): (*table, key) for key in keys},
            None: row,
        }
        path = named.get(finding.place.field if finding.place else None, row)
        place = self._loaded.place(*path)
        seen = f"`{spelled(path)}` is on line {place.line} of {place.source}"
        return replace(finding, help=f"{finding.help}; {seen}" if finding.help else seen)

    def _told(self, part: CoreTypeSpec | LevelSpec, row: MeasuredCore, first: float) -> dict:
        in_watts = _IN_WATTS[self._table.unit]
        told: dict[str, object] = {
            "speed_ppm": part.speed_ppm or max(round(row.speed / first * PPM), 1),
            "power": _watts(row.power * in_watts),
            "row": None,
        }
        if isinstance(part, CoreTypeSpec) and part.idle_power is None and row.idle_power:
            told["idle_power"] = _watts(row.idle_power * in_watts)
        return told


def _watts(power_w: float) -> Power:
    return Power(max(round(power_w * PPM), 1), PowerUnit.WATT)
