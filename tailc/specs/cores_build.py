"""Convert the cores of a spec to checked values: fill in powers, and scale speeds."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tailc.errors import Code
from tailc.specs.core_parts import CoreTypeSpec, LevelSpec
from tailc.specs.cores import Cores, CoreType, PowerUnit
from tailc.specs.cores_fields import PowerQuantity
from tailc.specs.cores_power import (
    CUBIC_STATIC_PPM,
    PUBLISHED,
    PublishedCore,
    cubic_ppm,
    cubic_static_ppm,
    micro_ppm,
)
from tailc.specs.cores_spec import CoresSpec, CoreTypesSpec, DvfsCores, DvfsSpec, PowersBySpeed
from tailc.specs.fields import PPM, Complaint, RefusalError, value_text
from tailc.units import format_khz, shorten

Path = tuple[str | int, ...]

# Of the letters of two names, how many are shared in order: `slwo` and `slow` have 3 of 4.
_ALIKE = 0.75


@dataclass(frozen=True)
class _Draft:
    """A type of core with the values that the spec states, and its place; speeds are not yet
    relative.

    unnamed: name of the type if the spec gives none.
    """

    at: Path
    name: str | None
    unnamed: str
    count: int
    speed: Fraction | None
    power: PowerQuantity | None
    idle_power: PowerQuantity
    move_us: int
    frequency_khz: int | None

    @property
    def label(self) -> str:
        """The name of the part, otherwise its frequency, otherwise its speed."""
        return self.unnamed if self.name is None else self.name

    def fill(
        self, name: str | None, power: PowerQuantity, frequency_khz: int | None = None
    ) -> _Draft:
        """The draft with a name, a power and a frequency if they are missing."""
        return replace(
            self,
            name=self.name or name,
            power=self.power or power,
            frequency_khz=self.frequency_khz or frequency_khz,
        )


@dataclass(frozen=True)
class _CompleteType:
    """A type whose speed and power are known."""

    at: Path
    name: str
    count: int
    speed: Fraction
    power: PowerQuantity
    idle_power: PowerQuantity
    move_us: int
    frequency_khz: int | None


def build(spec: CoresSpec, reference: str) -> Cores:
    """Build the cores of a spec, after the values of a measured table are filled in.

    Speed 1 is that of the type that `reference` names, or of the core of the published table with
    this name, or else of the slowest type. Raises RefusalError with paths below `cores`.
    """
    known = _complete_types([_fill_power(spec, draft) for draft in _drafts(spec)])
    _refuse([*_out_of_order(known), *_repeated_names(known), *_mixed_powers(known), *_idle(known)])
    types = _relative(known, _reference_speed(spec, known, reference))
    cores = Cores(types, isinstance(spec.which, DvfsCores), known[0].power.unit)
    return _with_static(cores, spec)


def reference_complaints(spec: CoresSpec, reference: str) -> list[Complaint]:
    """Report a reference that is probably a misspelled name of a core."""
    names, bare = _names(spec), _bare(reference)
    if reference in names:
        return []
    # A slip seldom is in the first letter, and `slow` is none for `low`.
    near = {_bare(name): name for name in names if _bare(name)[0] == bare[:1]}
    meant = difflib.get_close_matches(bare, near, n=1, cutoff=_ALIKE)
    if not meant:
        return []
    message = f"is {value_text(reference)}, but no core has this name"
    listed = ", ".join(f"`{name}`" for name in names)
    hint = (
        f"did you mean `{near[meant[0]]}`? Known: {listed}; any other text means the slowest core"
    )
    return [Complaint(Code.BAD_VALUE, message, hint, ("demand", "reference"), ("cores",))]


def _names(spec: CoresSpec) -> list[str]:
    """Names that a reference can have: cores of the spec, then those of its published table."""
    own = [_fill_power(spec, draft).label for draft in _drafts(spec)]
    published = _published_cores(spec).values()
    return list(dict.fromkeys([*own, *(core.name for core in published if core.name)]))


def _bare(name: str) -> str:
    """The name without spaces and case."""
    return "".join(name.split()).casefold()


def _refuse(complaints: list[Complaint]) -> None:
    if complaints:
        raise RefusalError(*complaints)


def _drafts(spec: CoresSpec) -> list[_Draft]:
    match spec.which:
        case CoreTypesSpec(types=types):
            return [_of_type(each, ("types", at)) for at, each in enumerate(types)]
        case DvfsCores(dvfs=dvfs):
            return _of_levels(dvfs)


def _of_type(each: CoreTypeSpec, at: Path) -> _Draft:
    own = each.values.own
    speed = _fraction(own.speed_ppm)
    rest = own.power, own.idle_power, each.migration_us
    return _Draft(at, each.name, _speed_name(speed), each.count, speed, *rest, None)


def _of_levels(dvfs: DvfsSpec) -> list[_Draft]:
    has_speeds = any(level.values.speed_ppm is not None for level in dvfs.levels)
    base_khz = None if has_speeds else dvfs.levels[0].frequency_khz
    return [
        _of_level(level, ("dvfs", "levels", at), dvfs, base_khz)
        for at, level in enumerate(dvfs.levels)
    ]


def _of_level(level: LevelSpec, at: Path, dvfs: DvfsSpec, base_khz: int | None) -> _Draft:
    """Draft of a level: its stated speed, or if no level has one, its frequency relative to the
    first."""
    own, khz = level.values.own, level.frequency_khz
    speed = _fraction(own.speed_ppm)
    if speed is None and khz is not None and base_khz is not None:
        speed = Fraction(khz, base_khz)
    unnamed = _speed_name(speed) if khz is None else format_khz(khz)
    rest = own.power, dvfs.idle_power, dvfs.switch_us
    return _Draft(at, level.name, unnamed, dvfs.count, speed, *rest, khz)


def _fraction(speed_ppm: int | None) -> Fraction | None:
    return None if speed_ppm is None else Fraction(speed_ppm, PPM)


def _speed_name(speed: Fraction | None) -> str:
    return f"speed {float(speed or 0):g}"


def _fill_power(spec: CoresSpec, draft: _Draft) -> _Draft:
    """The draft with a missing power from the table or the model."""
    if not isinstance(spec.powers, PowersBySpeed) or draft.speed is None:
        return draft
    source = spec.powers.power_from
    if source in PUBLISHED:
        core = _of_published(source, draft.speed, draft.at)
        khz = core.frequency_khz
        name = core.name if khz is None else format_khz(khz)
        return draft.fill(name, PowerQuantity(core.power_ppm, PowerUnit.SLOW_CORE), khz)
    relative_ppm = round(draft.speed / _slowest(spec) * PPM)
    modelled = (
        cubic_ppm(relative_ppm)
        if source == "cubic"
        else micro_ppm(relative_ppm, spec.powers.static_share_ppm or 0)
    )
    return draft.fill(draft.name, PowerQuantity(modelled, PowerUnit.SLOW_CORE))


def _slowest(spec: CoresSpec) -> Fraction:
    return min(draft.speed for draft in _drafts(spec) if draft.speed is not None)


def _published_cores(spec: CoresSpec) -> Mapping[int, PublishedCore]:
    """Cores of the published table of the spec, by speed; empty without one."""
    match spec.powers:
        case PowersBySpeed(power_from=source):
            return PUBLISHED.get(source, {})
        case _:
            return {}


def _of_published(source: str, speed: Fraction, at: Path) -> PublishedCore:
    """The core with this speed."""
    core = PUBLISHED[source].get(round(speed * PPM))
    if core is None:
        known = ", ".join(f"`{speed / PPM:g}`" for speed in PUBLISHED[source])
        message = f"is `{float(speed):g}`, but `{source}` has no core with this speed"
        hint = f"use one of its speeds, {known}; or state `power`"
        raise RefusalError(
            Complaint(Code.BAD_VALUE, message, hint, (*at, "speed"), ("power_from",))
        )
    return core


def _complete_types(drafts: list[_Draft]) -> list[_CompleteType]:
    """The types; raises RefusalError for each missing speed and power."""
    _refuse([complaint for draft in drafts for complaint in _missing(draft)])
    return [
        _CompleteType(
            one.at,
            one.label,
            one.count,
            one.speed,
            one.power,
            one.idle_power,
            one.move_us,
            one.frequency_khz,
        )
        for one in drafts
        if one.speed is not None and one.power is not None
    ]


def _missing(draft: _Draft) -> Iterator[Complaint]:
    if draft.speed is None:
        hint = "add `speed: 1` to the slowest core, and to the others their speed relative to it"
        yield Complaint(Code.MISSING_KEY, "is missing", hint, (*draft.at, "speed"))
    if draft.power is None:
        hint = "add `power: 2.5W`, or `power: 6.8` relative to a slow core, or `power_from`"
        yield Complaint(Code.MISSING_KEY, "is missing", hint, (*draft.at, "power"))


def _out_of_order(known: list[_CompleteType]) -> list[Complaint]:
    return [
        Complaint(
            Code.BAD_VALUE,
            f"is not faster than the one before it: {float(fast.speed):g} after "
            f"{float(slow.speed):g}",
            "order cores by speed, slow ones first, and merge cores of the same speed",
            fast.at,
        )
        for slow, fast in itertools.pairwise(known)
        if fast.speed <= slow.speed
    ]


def _repeated_names(known: list[_CompleteType]) -> list[Complaint]:
    complaints, seen = [], {}
    for each in known:
        if each.name in seen:
            message = f"has the name `{shorten(each.name)}`, which another core has too"
            also = seen[each.name]
            complaints.append(
                Complaint(Code.BAD_VALUE, message, "give it another `name`", each.at, also)
            )
        seen.setdefault(each.name, each.at)
    return complaints


def _mixed_powers(known: list[_CompleteType]) -> list[Complaint]:
    first = known[0]
    return [
        Complaint(
            Code.CONFLICT,
            "is in another unit than the first power",
            "give all in watts, such as `2.5W`, or all relative to a slow core, such as `6.8`",
            (*each.at, key),
            (*first.at, "power"),
        )
        for each in known
        for key, power in (("power", each.power), ("idle_power", each.idle_power))
        # Nothing is nothing in any unit.
        if power.unit is not first.power.unit and power.ppm
    ]


def _idle(known: list[_CompleteType]) -> list[Complaint]:
    return [
        Complaint(
            Code.CONFLICT,
            "is above the power of a busy core",
            "lower it to `power` or less",
            (*(each.at if "types" in each.at else ("dvfs",)), "idle_power"),
            (*each.at, "power"),
        )
        for each in known
        if each.idle_power.ppm > each.power.ppm
    ]


def _reference_speed(spec: CoresSpec, known: list[_CompleteType], reference: str) -> Fraction:
    named = [each.speed for each in known if each.name == reference]
    published = _published_cores(spec).items()
    named += [Fraction(ppm, PPM) for ppm, core in published if core.name == reference]
    return named[0] if named else known[0].speed


def _relative(known: list[_CompleteType], one: Fraction) -> tuple[CoreType, ...]:
    return tuple(
        CoreType(
            each.name,
            each.count,
            round(each.speed / one * PPM),
            each.power.ppm,
            each.idle_power.ppm,
            each.move_us,
            each.frequency_khz,
        )
        for each in known
    )


def _with_static(cores: Cores, spec: CoresSpec) -> Cores:
    match spec.powers:
        case PowersBySpeed(power_from="cubic", static_share_ppm=given_ppm):
            share_ppm = CUBIC_STATIC_PPM if given_ppm is None else given_ppm
            return replace(cores, static_ppm=cubic_static_ppm(cores.peak_ppm, share_ppm))
        case _:
            return cores
