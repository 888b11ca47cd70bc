"""Complete a rubik spec: read the files that it names, and check its frequencies and powers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.forms.tail_table import LARGEST_FREQUENCY_KHZ
from tailc.policies.rubik.batch_power import ListedPowers
from tailc.policies.rubik.frequencies_spec import ListedLevels, MeasuredLevels
from tailc.policies.rubik.levels_spec import LevelTableSpec
from tailc.policies.rubik.modelled_powers import COUNTERS, MODEL, with_modelled_power
from tailc.policies.rubik.named_file import asked_for, path_of
from tailc.policies.rubik.server_spec import ServerSpec
from tailc.policies.rubik.spec import RubikSpec
from tailc.specs.load import LoadedSpec, path_text
from tailc.units import FREQUENCY, POWER, format_khz, format_mw

if TYPE_CHECKING:
    from tailc.traces.core_table import MeasuredCore

_TABLE = ("server", "table")


def complete(
    spec: RubikSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[RubikSpec, tuple[Finding, ...]]:
    """Fill in all frequencies and powers; return the spec, and warnings about odd powers.

    A power is odd if it is stated at a frequency above the highest one, or is below that of a lower
    frequency, or if all cores together exceed the chip's limit. `folder`: folder of relative paths;
    None: the working directory. Raises TailcError for a table or a power model that cannot be read,
    a duplicate frequency in the table, different numbers of frequencies and powers of batch work,
    and a chip's limit below the power of its cores at the lowest frequency.
    """
    odd = _powers_beyond(spec, loaded)
    if isinstance(spec.server.frequencies, MeasuredLevels):
        levels = _levels(spec.server.frequencies.table, loaded, folder)
        server = spec.server.model_copy(update={"frequencies": levels})
        spec = spec.model_copy(update={"server": server})
    spec = with_modelled_power(spec, loaded, folder)
    _check_powers(spec, loaded)
    return spec, (*odd, *_falling_powers(spec, loaded), *_beyond_limit(spec.server, loaded))


def _powers_beyond(spec: RubikSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    """A warning for each power that is stated at a frequency above the highest one."""
    frequencies, batch = spec.server.frequencies, spec.batch
    most_khz = max(frequencies.frequencies_khz, default=LARGEST_FREQUENCY_KHZ)
    laws = {("server", *at, "at"): law for at, law in frequencies.power_laws.items()}
    if batch is not None:
        laws |= {("batch", *at, "at"): law for at, law in batch.draws.laws.items()}
    hint = (
        "check the value and its unit; it must be the frequency at which power was measured, such "
        "as `2.4GHz`"
    )
    return tuple(
        Finding(
            Code.POWER_BEYOND,
            f"`{path_text(at)}` is {format_khz(power.at_khz)}, above the highest frequency, "
            f"{format_khz(most_khz)}",
            loaded.place(*at),
            hint,
            Severity.WARNING,
        )
        for at, power in laws.items()
        if power.at_khz > most_khz
    )


def _check_powers(spec: RubikSpec, loaded: LoadedSpec) -> None:
    levels = spec.server.levels
    if spec.batch is None or len(spec.batch.draws.powers_mw(levels)) == len(levels):
        return
    powers = spec.batch.draws.powers_mw(levels)
    message = (
        f"`batch.powers` has {len(powers)} powers, but the server has {len(levels)} frequencies"
    )
    place = loaded.place("batch", "powers")
    raise TailcError(Finding(Code.CONFLICT, message, place, "give one power for each frequency"))


def _falling_powers(spec: RubikSpec, loaded: LoadedSpec) -> Iterator[Finding]:
    """A warning for each frequency that draws less than a lower one, of requests and of batch."""
    levels, batch = spec.server.levels, spec.batch
    frequencies = [level.frequency_khz for level in levels]
    drawn = [level.power_mw for level in levels]
    read = [at for at in (_TABLE, MODEL) if loaded.document.node_at(at) is not None]
    places = [
        read[0] if read else ("server", "levels", number, "power") for number in range(len(drawn))
    ]
    yield from _falling(frequencies, drawn, [loaded.place(*at) for at in places])
    if batch is not None and isinstance(batch.draws, ListedPowers):
        counted = loaded.document.node_at(COUNTERS) is not None
        places_of_powers = [
            COUNTERS if counted else ("batch", "powers", number) for number in range(len(drawn))
        ]
        yield from _falling(
            frequencies, list(batch.draws.listed_mw), [loaded.place(*at) for at in places_of_powers]
        )


def _falling(
    frequencies_khz: list[int], drawn_mw: list[int], places: list[Place]
) -> Iterator[Finding]:
    most = 0
    for number, power_mw in enumerate(drawn_mw):
        if power_mw >= drawn_mw[most]:
            most = number
            continue
        low, high = format_khz(frequencies_khz[most]), format_khz(frequencies_khz[number])
        message = (
            f"at {high} a core uses {format_mw(power_mw)}, less than at {low} "
            f"({format_mw(drawn_mw[most])}), so the slower frequency uses more power"
        )
        hint = f"check the powers, or remove {low}"
        yield Finding(Code.POWER_FALLS, message, places[number], hint, Severity.WARNING)


def _beyond_limit(server: ServerSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
    if server.tdp_mw is None:
        return ()
    place = loaded.place("server", "tdp")
    least_mw, most_mw = (server.busy_mw(server.levels[end]) for end in (0, -1))
    if server.tdp_mw < least_mw:
        message = (
            f"is {format_mw(server.tdp_mw)}, less than the {format_mw(least_mw)} that the chip "
            "uses with requests on all its cores at the lowest frequency"
        )
        hint = "correct `server.tdp` or the powers, or add a lower frequency"
        raise TailcError(Finding(Code.CONFLICT, f"`server.tdp` {message}", place, hint))
    if server.tdp_mw >= most_mw:
        return ()
    message = (
        f"requests on all cores at the highest frequency use {format_mw(most_mw)}, more than "
        f"`server.tdp`, {format_mw(server.tdp_mw)}: a chip that throttles them does not meet the "
        "SLO of the policy"
    )
    hint = "remove frequencies that all cores cannot have at the same time"
    return (Finding(Code.BEYOND_LIMIT, message, place, hint, Severity.WARNING),)


def _levels(table: LevelTableSpec, loaded: LoadedSpec, folder: Path | None) -> ListedLevels:
    from tailc.traces.core_table import CoreColumns, read_cores

    path = path_of(table.file, folder)
    columns = CoreColumns(speed=table.frequency, power=table.power)
    with asked_for(loaded, *_TABLE):
        rows = read_cores(path, columns, tuple(sorted(table.where.items())))
    levels = sorted(((_level(table, row), row) for row in rows), key=lambda pair: pair[0][0])
    place = Place(path, field=table.frequency)
    for (low, first), (high, second) in itertools.pairwise(levels):
        if low[0] == high[0]:
            raise _repeated_level(low[0], first, second, place)
    _check_range(levels[-1][0][0], levels[-1][1], place)
    return ListedLevels.from_powers(dict(level for level, _ in levels))


def _level(table: LevelTableSpec, row: MeasuredCore) -> tuple[int, int]:
    """Frequency in kHz and power in mW, each 1 at least."""
    khz = Fraction(row.speed) * FREQUENCY.units[table.frequency_unit]
    milliwatts = Fraction(row.power) * POWER.units[table.power_unit]
    return max(round(khz), 1), max(round(milliwatts), 1)


def _repeated_level(
    khz: int, first: MeasuredCore, second: MeasuredCore, place: Place
) -> TailcError:
    rows = f"rows {min(first.row, second.row)} and {max(first.row, second.row)}"
    message = f"{rows} both have the frequency {format_khz(khz)}"
    hint = "select the rows of one core with `server.table.where`"
    return TailcError(Finding(Code.CONFLICT, message, place, hint))


def _check_range(khz: int, row: MeasuredCore, place: Place) -> None:
    if khz <= LARGEST_FREQUENCY_KHZ:
        return
    message = f"row {row.row} has the frequency {format_khz(khz)}, which is above the limit"
    hint = "check `server.table.frequency_unit`"
    raise TailcError(Finding(Code.OUT_OF_RANGE, message, replace(place, row=row.row), hint))
