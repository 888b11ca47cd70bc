"""Complete a slow-to-fast spec from its table of measured cores, and warn of useless cores.

A row fills in the keys that a type leaves out, as if they were written in the spec.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.policies.slow_to_fast.spec import SlowToFastSpec
from tailc.specs.core_parts import NO_POWER, CoreOfRow, CoreValues, LevelOfRow, Row
from tailc.specs.cores import PowerUnit, dominated_types
from tailc.specs.cores_fields import PowerQuantity
from tailc.specs.cores_spec import (
    CoresSpec,
    CoreTableSpec,
    CoreTypesSpec,
    DvfsCores,
    MeasuredCores,
    OwnPowers,
)
from tailc.specs.fields import PPM
from tailc.specs.load import LoadedSpec, path_text

if TYPE_CHECKING:
    from tailc.traces.core_table import MeasuredCore

_IN_WATTS = {"mW": 1e-3, "W": 1.0}


def complete(
    spec: SlowToFastSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[SlowToFastSpec, tuple[Finding, ...]]:
    """Fill in all cores; return the spec, and warnings about dropped types or a single type.

    folder: base of relative paths; None: the working directory. Raises TailcError for a table that
    cannot be read, missing rows, and cores that do not fit together.
    """
    if isinstance(spec.cores.powers, MeasuredCores):
        cores = _filled_in(spec.cores, spec.cores.powers.table, loaded, folder)
        spec = spec.model_copy(update={"cores": cores})
        complaints = spec.core_complaints()
        if complaints:
            raise TailcError([loaded.finding(complaint) for complaint in complaints])
    return spec, (*_dropped_types(spec, loaded), *_alone(spec, loaded))


def _dropped_types(spec: SlowToFastSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    names = [each.name for each in spec.all_cores.types]
    return tuple(
        Finding(
            Code.RUNG_DOMINATED,
            f"`{each.name}` is not used: work needs at least as much energy there as on "
            f"`{each.by}`, which is faster",
            loaded.place("cores", *spec.cores.which.path, names.index(each.name)),
            "check its power, or remove it from the server",
            Severity.WARNING,
        )
        for each in dominated_types(spec.all_cores)
    )


def _alone(spec: SlowToFastSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    """A warning if requests can run on cores of one type only."""
    first, *others = spec.used_cores.types
    if others:
        return ()
    what, place = spec.cores.which.noun, loaded.place("cores", *spec.cores.which.path)
    message = (
        f"requests of any age run on cores of one {what}, `{first.name}`, so the policy has "
        "nothing to choose"
    )
    hint = f"add a slower or faster {what}"
    return (Finding(Code.NO_CHOICE, message, place, hint, Severity.WARNING),)


def _filled_in(
    cores: CoresSpec, table: CoreTableSpec, loaded: LoadedSpec, folder: Path | None
) -> CoresSpec:
    path = table.file if folder is None else str(folder / table.file)
    reader = _CoreTableReader(table, loaded, path, ("cores", *cores.which.path))
    return cores.model_copy(
        update={"which": reader.fill(cores.which), "powers": OwnPowers.model_construct()}
    )


@dataclass(frozen=True)
class _CoreTableReader:
    """A table of measured cores, read once per row that a spec names.

    at: path in the spec of the types or levels.
    """

    table: CoreTableSpec
    loaded: LoadedSpec
    path: str
    at: tuple[str, ...]

    def fill(self, group: CoreTypesSpec | DvfsCores) -> CoreTypesSpec | DvfsCores:
        """Fill in types or levels from their rows; speeds are relative to the first row's."""
        rows = {
            position: self._row(part.values.row, position)
            for position, part in enumerate(group.parts)
            if isinstance(part.values, CoreOfRow | LevelOfRow)
        }
        first = next((row.speed for row in rows.values()), 1.0)

        def fill(position: int, values: CoreValues) -> CoreValues:
            if not isinstance(values, CoreOfRow | LevelOfRow):
                return values
            return self._fill_part(values, rows[position], first)

        return group.fill(fill)

    def _row(self, named: Row, position: int) -> MeasuredCore:
        from tailc.traces.core_table import CoreColumns, read_cores

        table = self.table
        columns = CoreColumns(table.speed, table.power, table.idle_power, table.cores)
        where = tuple(sorted({**table.where, **named}.items()))
        try:
            rows = read_cores(self.path, columns, where)
        except TailcError as error:
            raise TailcError(
                [self._with_spec_place(finding, named, position) for finding in error.findings]
            ) from None
        if len(rows) == 1:
            return rows[0]
        message = f"selects {len(rows)} rows of `{table.file}`, but must select one"
        numbers = ", ".join(str(each.row) for each in rows[:3])
        hint = f"add columns to `row`, which now selects the rows {numbers}, ..."
        place = self.loaded.place(*self.at, position, "row")
        raise TailcError(Finding(Code.CONFLICT, f"`row` {message}", place, hint))

    def _with_spec_place(self, finding: Finding, named_columns: Row, position: int) -> Finding:
        """Add to a finding about the file where the spec refers to the row."""
        table, row = ("cores", "table"), (*self.at, position, "row")
        keys = ("cores", "idle_power", "power", "speed")
        named: dict[str | None, tuple[str | int, ...]] = {
            **{name: (*table, "where", name) for name in self.table.where},
            **{name: (*row, name) for name in named_columns},
            **{getattr(self.table, key): (*table, key) for key in keys},
            None: row,
        }
        path = named.get(finding.place.field if finding.place else None, row)
        place = self.loaded.place(*path)
        reference = f"`{path_text(path)}` is on line {place.line} of {place.source}"
        return replace(finding, help=f"{finding.help}; {reference}" if finding.help else reference)

    def _fill_part(
        self, values: CoreOfRow | LevelOfRow, row: MeasuredCore, first: float
    ) -> CoreValues:
        in_watts = _IN_WATTS[self.table.unit]
        speed_ppm = max(round(row.speed / first * PPM), 1)
        idle_power = _watts(row.idle_power * in_watts) if row.idle_power else NO_POWER
        return values.fill(speed_ppm, _watts(row.power * in_watts), idle_power)


def _watts(power_w: float) -> PowerQuantity:
    return PowerQuantity(max(round(power_w * PPM), 1), PowerUnit.WATT)
