"""The reading of a trace (its columns and units) as one record of the artifact.

The released schemas have one table for all readings, so parts of a single type of reading are
optional in the record. Code that reads a trace uses the reading's own type instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tailc.traces.profile import Measure
from tailc.traces.reading import (
    OF_MACHINES,
    OF_TOKENS,
    ClassCurves,
    CommonCurve,
    Curve,
    CyclesAndMemory,
    DemandAndMemory,
    DemandColumn,
    DemandReading,
    Demands,
    RequestReading,
    Rows,
    RunTimeReading,
    SpeedupColumns,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    Timings,
    TimingsReading,
    TokenColumns,
    TokensReading,
    TraceReading,
    ValueMeaning,
    clock_khz_of,
    curves_of,
    memory_column,
    speedups_of,
)
from tailc.traces.serial import Serial

_NAME_ONE = "demand comes from a column or from timings: name one"
_OF_JOBS = "run times of jobs have curves or no speed-ups"


@dataclass(frozen=True)
class Reading:
    """Column names and meanings; a field that is None is not in the file.

    Exactly one of `demand` (a column of demands) and `timings` is given. Speed-ups come from
    `timings`, from `speedup_columns` (one per degree, with a value for each request), or from
    `curves`: one for all requests, or several, chosen by the value in column `class_column`.
    `memory` is a column with the part of a demand that does not depend on frequency; with
    `clock_khz` the demands are compute cycles, counted at that frequency, and only `memory` is in
    `unit`. `time`, `machine` and `share` are columns of measured throughput, which is read from
    column `demand` and has no speed-ups; `waiting` has the number of waiting requests. Run times of
    jobs are also read from it, and have curves or no speed-ups. Tokens of language models are read
    from `prompt` and `demand` (the output), at the times of `time`, and `cached` has the tokens of
    the prompt with a cache, `class_column` the class of a request, and `waiting` the priority by
    which it waits. `where` selects the rows whose column equals the text; `bin_us` merges
    demands into bins of that width (at the bin's mean) with weights. `serial` is the start and end
    of a request that run on one thread. `note` is the user's reason for accepting a response time
    as demand.
    """

    measure: Measure
    reference: str
    unit: TimeUnit
    demand: str | None = None
    timings: Timings | None = None
    weight: str | None = None
    class_column: str | None = None
    speedup_columns: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    bin_us: int | None = None
    split: SplitRule | None = None
    note: str | None = None
    max_degree: int | None = None
    memory: str | None = field(default=None, metadata={"since": 3})
    clock_khz: int | None = field(default=None, metadata={"since": 3})
    time: str | None = field(default=None, metadata={"since": 3})
    machine: str | None = field(default=None, metadata={"since": 3})
    share: str | None = field(default=None, metadata={"since": 3})
    serial: Serial | None = field(default=None, metadata={"since": 9})
    waiting: str | None = field(default=None, metadata={"since": 9})
    prompt: str | None = field(default=None, metadata={"since": 11})
    cached: str | None = field(default=None, metadata={"since": 11})


def reading_of(record: Reading) -> TraceReading:
    """Convert the record of a trace's columns in an artifact to a TraceReading.

    Raises ValueError if the record describes no reading, or mixes the fields of two.
    """
    if record.timings is not None:
        return _timings_reading(record, record.timings)
    if record.demand is None:
        raise ValueError(_NAME_ONE)
    if record.measure is Measure.THROUGHPUT:
        return _throughput_reading(record, record.demand)
    if record.measure is Measure.TOKENS:
        return _tokens_reading(record, record.demand)
    _refuse_machines(record)
    if record.measure is Measure.RUN_TIME:
        return _run_time_reading(record, record.demand)
    return _demand_reading(record, record.demand)


def _demand_reading(record: Reading, demand: str) -> DemandReading:
    return DemandReading(
        _measurement(record),
        _rows(record),
        _demands(demand, record.memory, record.clock_khz),
        speedups_of(record.curves, record.class_column, record.speedup_columns),
        record.weight,
        record.bin_us,
        record.max_degree,
        record.serial,
    )


def _timings_reading(record: Reading, timings: Timings) -> TimingsReading:
    if record.demand is not None:
        raise ValueError(_NAME_ONE)
    if record.measure is Measure.RUN_TIME:
        raise ValueError(_OF_JOBS)
    if record.measure is Measure.THROUGHPUT:
        raise ValueError(OF_MACHINES)
    if record.measure is Measure.TOKENS:
        raise ValueError(OF_TOKENS)
    _refuse_machines(record)
    if record.curves or record.speedup_columns or record.class_column is not None:
        raise ValueError("speed-ups must come from exactly one of timings, columns and curves")
    if record.memory is not None or record.clock_khz is not None:
        raise ValueError("timings must not have a column of memory time or a clock")
    counted = (record.weight, record.bin_us, record.max_degree, record.serial)
    return TimingsReading(_measurement(record), _rows(record), timings, *counted)


def _throughput_reading(record: Reading, done: str) -> ThroughputReading:
    time, machine, share = record.time, record.machine, record.share
    if time is None or machine is None or share is None:
        raise ValueError(OF_MACHINES)
    if record.curves or record.speedup_columns or record.class_column is not None:
        raise ValueError("a trace of throughput must not have speed-ups")
    _refuse_of_requests(record, "throughput")
    _refuse_tokens(record)
    columns = ThroughputColumns(done, time, machine, share, record.waiting)
    return ThroughputReading(_measurement(record), _rows(record), columns)


def _tokens_reading(record: Reading, output: str) -> TokensReading:
    time, prompt = record.time, record.prompt
    if time is None or prompt is None:
        raise ValueError(OF_TOKENS)
    if (record.machine, record.share) != (None,) * 2:
        raise ValueError(OF_MACHINES)
    if record.curves or record.speedup_columns:
        raise ValueError("a trace of tokens must not have speed-ups")
    _refuse_of_requests(record, "a trace of tokens")
    optional = (record.cached, record.class_column, record.waiting)
    columns = TokenColumns(time, prompt, output, *optional)
    return TokensReading(_measurement(record), _rows(record), columns)


def _run_time_reading(record: Reading, run: str) -> RunTimeReading:
    if record.speedup_columns:
        raise ValueError(_OF_JOBS)
    _refuse_of_requests(record, "a run time")
    has_none = not record.curves and record.class_column is None
    speedups = None if has_none else curves_of(record.curves, record.class_column)
    return RunTimeReading(_measurement(record), _rows(record), run, speedups)


def _refuse_machines(record: Reading) -> None:
    if (record.time, record.machine, record.share, record.waiting) != (None,) * 4:
        raise ValueError(OF_MACHINES)
    _refuse_tokens(record)


def _refuse_tokens(record: Reading) -> None:
    if record.prompt is not None or record.cached is not None:
        raise ValueError(OF_TOKENS)


def _refuse_of_requests(record: Reading, what: str) -> None:
    counted = (record.weight, record.bin_us, record.max_degree, record.serial)
    if any(part is not None for part in (*counted, record.memory, record.clock_khz)):
        parts = "weights, bins, degrees, serial parts, memory times or clock"
        raise ValueError(f"{what} must not have {parts}")


def _demands(name: str, memory: str | None, clock_khz: int | None) -> Demands:
    if memory is None and clock_khz is not None:
        raise ValueError("`clock_khz` needs a column of memory time")
    if memory is None:
        return DemandColumn(name)
    if clock_khz is None:
        return DemandAndMemory(name, memory)
    return CyclesAndMemory(name, memory, clock_khz)


def _measurement(record: Reading) -> ValueMeaning:
    return ValueMeaning(record.measure, record.reference, record.unit, record.note)


def _rows(record: Reading) -> Rows:
    return Rows(record.where, record.split)


def record_of_reading(reading: TraceReading) -> Reading:
    """Convert a reading to its record; `reading_of` is the inverse."""
    measured, rows = reading.measured, reading.rows
    return Reading(
        measure=measured.measure,
        reference=measured.reference,
        unit=measured.unit,
        curves=reading.curves,
        where=rows.where,
        split=rows.split,
        note=measured.note,
        memory=memory_column(reading),
        clock_khz=clock_khz_of(reading),
        **_own_fields(reading),
    )


def _own_fields(reading: TraceReading) -> dict[str, Any]:
    """The fields that only readings of this type have."""
    match reading:
        case DemandReading():
            of_speedups = _speedup_fields(reading.speedups)
            return {"demand": reading.demand.name, **of_speedups, **_request_fields(reading)}
        case TimingsReading():
            return {"timings": reading.timings, **_request_fields(reading)}
        case ThroughputReading(columns=columns):
            named = {"time": columns.time, "machine": columns.machine, "share": columns.share}
            return {"demand": columns.throughput, **named, "waiting": columns.waiting}
        case RunTimeReading():
            return {"demand": reading.run, **_speedup_fields(reading.speedups)}
        case TokensReading(columns=columns):
            named = {"time": columns.time, "prompt": columns.prompt, "cached": columns.cached}
            order = {"class_column": columns.request_class, "waiting": columns.priority}
            return {"demand": columns.output, **named, **order}


def _request_fields(reading: RequestReading) -> dict[str, Any]:
    return {
        "weight": reading.weight,
        "bin_us": reading.bin_us,
        "max_degree": reading.max_degree,
        "serial": reading.serial,
    }


def _speedup_fields(
    speedups: CommonCurve | ClassCurves | SpeedupColumns | None,
) -> dict[str, Any]:
    match speedups:
        case ClassCurves(column):
            return {"class_column": column}
        case SpeedupColumns(names):
            return {"speedup_columns": names}
    return {}
