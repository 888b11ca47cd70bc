"""Compute the powers of a spec from the power model that it names."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from tailc.errors import Code, Finding, TailcError
from tailc.policies.rubik.batch_power import CountedPower, ListedPowers
from tailc.policies.rubik.frequencies_spec import ListedLevels
from tailc.policies.rubik.levels import CoreParameters, Work, core_mw, volts
from tailc.policies.rubik.model_spec import CountersSpec, ModelSpec
from tailc.policies.rubik.named_file import asked_for, path_of
from tailc.policies.rubik.power_model import PowerModel, read_power_model
from tailc.policies.rubik.spec import RubikSpec
from tailc.specs.fields import PPM
from tailc.specs.load import LoadedSpec
from tailc.units import plural

MODEL, COUNTERS = ("server", "model"), ("batch", "counters")
_VOLTS = (*MODEL, "volts")


def with_modelled_power(spec: RubikSpec, loaded: LoadedSpec, folder: Path | None) -> RubikSpec:
    """Replace event counters by powers; the spec is unchanged if it names no model.

    Raises TailcError for a file that is not a power model, and for voltages that do not fit it.
    """
    model_spec = spec.server.model
    if model_spec is None:
        return spec
    with asked_for(loaded, *MODEL):
        model = read_power_model(path_of(model_spec.file, folder))
    frequencies_khz = spec.server.frequencies.frequencies_khz
    grid = tuple(
        zip(frequencies_khz, _volts(model_spec, model, frequencies_khz, loaded), strict=True)
    )
    clock_khz = spec.demand.clock_khz
    work = _work(model_spec.counters, model_spec.memory_ppm, clock_khz)
    powers = zip(frequencies_khz, _powers_mw(model.core, work, grid), strict=True)
    changes = {"model": None, "frequencies": ListedLevels.from_powers(dict(powers))}
    changed: dict[str, object] = {"server": spec.server.model_copy(update=changes)}
    batch = spec.batch
    if batch is not None and isinstance(batch.draws, CountedPower):
        own = _work(batch.draws.counters, batch.waits.memory_ppm_at(clock_khz), clock_khz)
        listed = ListedPowers.model_construct(listed_mw=_powers_mw(model.core, own, grid))
        changed["batch"] = batch.model_copy(update={"draws": listed})
    return spec.model_copy(update=changed)


def _work(counters: CountersSpec, memory_ppm: int, clock_khz: int) -> Work:
    events = counters.ipc_ppm, counters.near_loads_ppm, counters.far_accesses_ppm
    return Work(*(Fraction(ppm, PPM) for ppm in (*events, memory_ppm)), clock_khz=clock_khz)


def _powers_mw(
    core: CoreParameters, work: Work, grid: tuple[tuple[int, Fraction], ...]
) -> tuple[int, ...]:
    """At each frequency and voltage, 1 mW at least."""
    return tuple(max(core_mw(core, work, khz, volt), 1) for khz, volt in grid)


def _volts(
    model_spec: ModelSpec, model: PowerModel, frequencies_khz: tuple[int, ...], loaded: LoadedSpec
) -> tuple[Fraction, ...]:
    """The voltage at each frequency, that of a Haswell core unless the model has its own."""
    if model_spec.volts is None:
        if model.has_own_volts:
            message = (
                "`server.model` was fitted to measured voltages, so the spec must state voltages"
            )
            hint = "add a voltage for each frequency, for example `volts: [0.73, 1.03]`"
            place = loaded.place(*MODEL)
            raise TailcError(Finding(Code.MISSING_KEY, message, place, hint))
        return tuple(volts(khz) for khz in frequencies_khz)
    if not model.has_own_volts:
        message = (
            "`server.model.volts` does not apply to this model: it was fitted without measured "
            "voltages, on those of a Haswell core"
        )
        raise _conflict(message, "remove `volts`", loaded)
    if len(model_spec.volts) != len(frequencies_khz):
        message = (
            f"`server.model.volts` has {plural(len(model_spec.volts), 'voltage')}, but the server "
            f"has {len(frequencies_khz)} frequencies"
        )
        raise _conflict(message, "give one voltage for each frequency", loaded)
    return tuple(Fraction(microvolts, PPM) for microvolts in model_spec.volts)


def _conflict(message: str, hint: str, loaded: LoadedSpec) -> TailcError:
    return TailcError(Finding(Code.CONFLICT, message, loaded.place(*_VOLTS), hint))
