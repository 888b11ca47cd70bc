"""Fit a power model to one part of a trace of performance counters, and test it on another part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc_solvers.power.model import CORE, DRAM, REST, UNCORE, PowerCounters, Watts
from tailc_solvers.power.train import ByComponent, Component, Training, errors, train
from tailc_solvers.power.voltage import HASWELL

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces import counters as columns
from tailc.traces.counters import CounterTrace, of_core, read_counters
from tailc.traces.source import Format
from tailc.units import format_ppm

MHZ_PER_GHZ = 1_000
PER_GIGA = 1e9

# Names of the components, in the solver's order, and units of the parameters.
COMPONENTS = ("core", "uncore", "dram", "rest")
_AMPERE, _NANOFARAD, _WATT, _NANOJOULE = "A", "nF", "W", "nJ"
UNITS = (
    dict.fromkeys(("i", "i_u"), _AMPERE)
    | dict.fromkeys(("c0", "c1", "c2", "c3", "c_u1", "c_u2"), _NANOFARAD)
    | {"refresh": _WATT, "other": _WATT, "d": _NANOJOULE}
)


@dataclass(frozen=True)
class FittedComponent:
    """Fitted power parameters of a component of a server, by name, and their errors.

    residual_w: root mean square error on the training samples. condition: condition number of the
    regression. error_w: mean absolute error on the test samples. error_share: the same relative to
    the mean power of the whole server. long_term_share: absolute value of the mean error, relative
    to the component's own mean power.
    """

    name: str
    parameters: tuple[tuple[str, float], ...]
    residual_w: float
    condition: float
    error_w: float
    error_share: float
    long_term_share: float


@dataclass(frozen=True)
class PowerFit:
    """A fitted power model of a server: its components and their errors.

    `error_*` and `long_term_share` are for the power of the whole server.
    """

    source: str
    test_source: str
    cores: int
    has_core_volt: bool
    has_uncore_volt: bool
    trained_rows: int
    tested_rows: int
    components: tuple[FittedComponent, ...]
    error_w: float
    error_share: float
    long_term_share: float


def fit_power(
    path: str,
    *,
    test: str | None = None,
    held_out_ppm: int,
    format: Format = "auto",  # noqa: A002
) -> PowerFit:
    """Train a power model of a server on a trace, and test it on another trace.

    test: path of the test trace; None: the latest part of the trace at `path`. Raises TailcError
    for invalid traces, for an empty part, and for parameters that the data do not separate
    (SINGULAR_FIT).
    """
    design = read_counters(path, format)
    if test is None:
        design, held_out = _parts(design, held_out_ppm)
    else:
        held_out = read_counters(test, format)
        _check_alike(design, held_out)
    return _fit(design, held_out)


def _parts(trace: CounterTrace, held_out_ppm: int) -> tuple[CounterTrace, CounterTrace]:
    latest = -(-held_out_ppm * trace.rows // PPM)
    first = trace.rows - latest
    if not 0 < first < trace.rows:
        message = (
            f"if `{format_ppm(held_out_ppm)}` of {trace.rows} rows are held out, a part is empty"
        )
        place = Place(trace.source, field=columns.TIME)
        raise TailcError(Finding(Code.BAD_SPLIT, message, place, "measure for longer"))
    return trace.part(slice(first)), trace.part(slice(first, None))


def _check_alike(design: CounterTrace, held_out: CounterTrace) -> None:
    if held_out.cores != design.cores:
        message = f"has {held_out.cores} cores, but `{design.source}` has {design.cores}"
        place = Place(held_out.source)
        hint = "give a trace of the same server"
        raise TailcError(Finding(Code.CONFLICT, f"the trace {message}", place, hint))
    for name in ("volt", "uncore_volt"):
        if (getattr(design, name) is None) != (getattr(held_out, name) is None):
            message = f"only one of this trace and `{design.source}` has measured voltages"
            place = Place(held_out.source, field=_column("i" if name == "volt" else "i_u", design))
            raise TailcError(
                Finding(
                    Code.CONFLICT,
                    message,
                    place,
                    ("measure the voltages in both traces, or in none"),
                )
            )


def _fit(design: CounterTrace, held_out: CounterTrace) -> PowerFit:
    trained = train(_counters(design), _watts(design))
    parts = (trained.core, trained.uncore, trained.dram, trained.rest)
    findings = [
        finding
        for part, names in zip(parts, _NAMES, strict=True)
        for finding in _not_unique(part, names, design)
    ]
    if findings:
        raise TailcError(findings)
    measured = _watts(held_out)
    off = errors(trained.model.predict(_counters(held_out)), measured)
    mean_w = float(measured.total.mean())
    shares = zip(COMPONENTS, parts, _NAMES, off.absolute, off.long_term, strict=False)
    return PowerFit(
        source=design.source,
        test_source=held_out.source,
        cores=design.cores,
        has_core_volt=design.volt is not None,
        has_uncore_volt=design.uncore_volt is not None,
        trained_rows=design.rows,
        tested_rows=held_out.rows,
        components=tuple(
            FittedComponent(
                name,
                tuple(zip(names, part.parameters, strict=True)),
                part.residual_w,
                part.condition,
                share * mean_w,
                share,
                long_term,
            )
            for name, part, names, share, long_term in shares
        ),
        error_w=off.absolute_w,
        error_share=off.absolute.total,
        long_term_share=off.long_term.total,
    )


_NAMES = (CORE, UNCORE, DRAM, REST)
assert ByComponent._fields[:-1] == COMPONENTS


def _counters(trace: CounterTrace) -> PowerCounters:
    """Counters in the solver's units; voltage from the model if it is not measured."""
    volt, uncore_volt = trace.volt, trace.uncore_volt
    return PowerCounters(
        volt=HASWELL.volt(trace.freq_mhz) if volt is None else volt,
        freq_ghz=trace.freq_mhz / MHZ_PER_GHZ,
        instructions=trace.ipc,
        near_loads=trace.near_loads,
        far_accesses=trace.far_accesses,
        uncore_volt=HASWELL.volt(trace.uncore_freq_mhz) if uncore_volt is None else uncore_volt,
        uncore_freq_ghz=trace.uncore_freq_mhz / MHZ_PER_GHZ,
        cache_hits=trace.uncore_hits,
        cache_misses=trace.uncore_misses,
        dram_accesses_g_per_s=trace.dram_accesses_per_s / PER_GIGA,
    )


def _watts(trace: CounterTrace) -> Watts:
    return Watts(trace.core_w, trace.uncore_w, trace.dram_w, trace.rest_w)


def _not_unique(part: Component, names: tuple[str, ...], trace: CounterTrace) -> Iterator[Finding]:
    """A finding of parameters that the data do not separate, at the first of their columns."""
    if part.status is Training.UNIQUE:
        return
    inseparable = [(name, _column(name, trace)) for name in names if name in part.alike]
    parameters = " and ".join(f"`{name}`" for name, _ in inseparable)
    named = ", ".join(
        f"`{column}`" for column in dict.fromkeys(column for _, column in inseparable)
    )
    place = Place(trace.source, field=inseparable[0][1].replace("*", "0"))
    if part.status is Training.UNUSED:
        message = f"the parameters {parameters} cannot be fitted: {named} is 0 in every row"
        yield Finding(Code.SINGULAR_FIT, message, place, f"measure work in which {named} is not 0")
        return
    message = (
        f"the parameters {parameters} cannot be separated: in this trace {named} change together"
    )
    hint = "measure more rows with other mixes of work at other frequencies"
    yield Finding(Code.SINGULAR_FIT, message, place, hint)


def _column(parameter: str, trace: CounterTrace) -> str:
    """The column that determines a parameter; `*` means all cores."""
    volt = columns.CORE_FREQUENCY if trace.volt is None else columns.CORE_VOLT
    no_uncore = trace.uncore_volt is None
    return {
        "i": of_core("*", volt),
        "c0": of_core("*", columns.CORE_FREQUENCY),
        "c1": of_core("*", columns.CORE_COUNTERS[0]),
        "c2": of_core("*", columns.CORE_COUNTERS[1]),
        "c3": of_core("*", columns.CORE_COUNTERS[2]),
        "i_u": columns.UNCORE_FREQUENCY if no_uncore else columns.UNCORE_VOLT,
        "c_u1": columns.UNCORE_COUNTERS[0],
        "c_u2": columns.UNCORE_COUNTERS[1],
        "refresh": columns.PARTS_W[-1],
        "d": columns.DRAM_ACCESSES,
        "other": columns.WALL_W,
    }[parameter]
