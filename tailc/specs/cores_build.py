"""From what a user wrote of cores to checked values: powers filled in, speeds by the reference."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass
from fractions import Fraction

from tailc.errors import Code
from tailc.specs.cores import Cores, CoreType, PowerUnit
from tailc.specs.cores_fields import Power
from tailc.specs.cores_power import (
    CUBIC_STATIC_PPM,
    PUBLISHED,
    PublishedCore,
    cubic_ppm,
    cubic_static_ppm,
    micro_ppm,
)
from tailc.specs.cores_spec import CoresSpec, CoreTypeSpec, LevelSpec
from tailc.specs.fields import PPM, Complaint, RefusalError, written
from tailc.units import format_khz, shorten

Path = tuple[str | int, ...]

# Of the letters of two names, how many are shared in order: `slwo` and `slow` have 3 of 4.
_ALIKE = 0.75


@dataclass(frozen=True)
class _Draft:
    """A type as written: where that is, and what it says so far; speeds are not yet relative."""

    at: Path
    name: str | None
    count: int
    speed: Fraction | None
    power: Power | None
    idle_power: Power | None
    move_us: int
    frequency_khz: int | None = None

    @property
    def called(self) -> str:
        """Its name, else its frequency, else its speed."""
        if self.name is not None:
            return self.name
        if self.frequency_khz is not None:
            return format_khz(self.frequency_khz)
        return f"speed {float(self.speed or 0):g}"


def build(spec: CoresSpec, reference: str) -> Cores:
    """The cores of a spec whose measured table, if any, is filled in.

    Speed 1 is that of the type that `reference` names, or of the core that the published table
    names so, be it in the server or not, else of the slowest. Raises RefusalError, with paths below
    `cores`.
    """
    drafts = [_filled(spec, draft) for draft in _drafts(spec)]
    _refuse(_missing(drafts))
    _refuse([*_out_of_order(drafts), *_repeated(drafts), *_mixed(drafts), *_idle(drafts)])
    unit = drafts[0].power.unit if drafts[0].power else PowerUnit.SLOW_CORE
    types = _relative(drafts, _reference_speed(spec, drafts, reference))
    cores = Cores(types, spec.dvfs is not None, unit)
    return _with_static(cores, spec)


def reference_complaints(spec: CoresSpec, reference: str) -> list[Complaint]:
    """Of a reference that names no core, but all but one: speed 1 would be the slowest's."""
    names, bare = _names(spec), _bare(reference)
    if reference in names:
        return []
    # A slip seldom is in the first letter, and `slow` is none for `low`.
    near = {_bare(name): name for name in names if _bare(name)[0] == bare[:1]}
    meant = difflib.get_close_matches(bare, near, n=1, cutoff=_ALIKE)
    if not meant:
        return []
    message = f"is {written(reference)}, which no core is called"
    listed = ", ".join(f"`{name}`" for name in names)
    hint = f"did you mean `{near[meant[0]]}`? Known: {listed}; other texts mean the slowest"
    return [Complaint(Code.BAD_VALUE, message, hint, ("demand", "reference"), ("cores",))]


def _names(spec: CoresSpec) -> list[str]:
    """What a reference may name: cores of the spec, then those of its published table."""
    own = [_filled(spec, draft).called for draft in _drafts(spec)]
    published = PUBLISHED.get(spec.power_from or "", {})
    return list(dict.fromkeys([*own, *(core.name for core in published.values() if core.name)]))


def _bare(name: str) -> str:
    """Without what slips change first."""
    return "".join(name.split()).casefold()


def _refuse(complaints: list[Complaint]) -> None:
    if complaints:
        raise RefusalError(*complaints)


def _drafts(spec: CoresSpec) -> list[_Draft]:
    if spec.dvfs is None:
        return [_of_type(each, at) for at, each in enumerate(spec.types or ())]
    dvfs = spec.dvfs
    told = any(level.speed_ppm is not None for level in dvfs.levels)
    base_khz = None if told else dvfs.levels[0].frequency_khz
    return [
        _Draft(
            ("dvfs", "levels", at),
            level.name,
            dvfs.count,
            _speed_of(level, base_khz),
            level.power,
            dvfs.idle_power,
            dvfs.switch_us,
            level.frequency_khz,
        )
        for at, level in enumerate(dvfs.levels)
    ]


def _of_type(each: CoreTypeSpec, at: int) -> _Draft:
    speed = None if each.speed_ppm is None else Fraction(each.speed_ppm, PPM)
    told = each.power, each.idle_power, each.migration_us
    return _Draft(("types", at), each.name, each.count, speed, *told)


def _speed_of(level: LevelSpec, base_khz: int | None) -> Fraction | None:
    """As written; where no level has a speed, by its frequency relative to the first's."""
    if level.speed_ppm is not None:
        return Fraction(level.speed_ppm, PPM)
    if base_khz is None or level.frequency_khz is None:
        return None
    return Fraction(level.frequency_khz, base_khz)


def _filled(spec: CoresSpec, draft: _Draft) -> _Draft:
    """The draft with its power by the table or the model; what is written stays."""
    source = spec.power_from
    if source is None or draft.speed is None:
        return draft
    slowest = _slowest(spec)
    if source in PUBLISHED:
        return _published(source, draft)
    relative_ppm = round(draft.speed / slowest * PPM)
    modelled = (
        cubic_ppm(relative_ppm)
        if source == "cubic"
        else micro_ppm(relative_ppm, spec.static_share_ppm or 0)
    )
    return _with(draft, draft.name, Power(modelled, PowerUnit.SLOW_CORE))


def _slowest(spec: CoresSpec) -> Fraction:
    return min(draft.speed for draft in _drafts(spec) if draft.speed is not None)


def _published(source: str, draft: _Draft) -> _Draft:
    assert draft.speed is not None
    core = PUBLISHED[source].get(round(draft.speed * PPM))
    if core is None:
        known = ", ".join(f"`{speed / PPM:g}`" for speed in PUBLISHED[source])
        message = f"is `{float(draft.speed):g}`, which `{source}` has no core of"
        hint = f"its speeds: {known}; or give the power yourself"
        raise RefusalError(
            Complaint(Code.BAD_VALUE, message, hint, (*draft.at, "speed"), ("power_from",))
        )
    return _with(draft, draft.name or _name_of(core), Power(core.power_ppm, PowerUnit.SLOW_CORE))


def _name_of(core: PublishedCore) -> str:
    return core.name if core.frequency_khz is None else format_khz(core.frequency_khz)


def _with(draft: _Draft, name: str | None, power: Power) -> _Draft:
    """The draft with a name and a power where it has none."""
    return _Draft(
        draft.at,
        name,
        draft.count,
        draft.speed,
        draft.power or power,
        draft.idle_power,
        draft.move_us,
        draft.frequency_khz,
    )


def _missing(drafts: list[_Draft]) -> list[Complaint]:
    complaints = []
    for draft in drafts:
        if draft.speed is None:
            hint = "add `speed: 1` to the slowest, and to others how many times as fast they are"
            complaints.append(Complaint(Code.MISSING_KEY, "is missing", hint, (*draft.at, "speed")))
        if draft.power is None:
            hint = "add `power: 2.5W`, or `power: 6.8` relative to a slow core, or `power_from`"
            complaints.append(Complaint(Code.MISSING_KEY, "is missing", hint, (*draft.at, "power")))
    return complaints


def _out_of_order(drafts: list[_Draft]) -> list[Complaint]:
    return [
        Complaint(
            Code.BAD_VALUE,
            f"is no faster than the one before it: {float(fast.speed or 0):g} after "
            f"{float(slow.speed or 0):g}",
            "order them by speed, slow ones first, and merge those of one speed",
            fast.at,
        )
        for slow, fast in itertools.pairwise(drafts)
        if (fast.speed or 0) <= (slow.speed or 0)
    ]


def _repeated(drafts: list[_Draft]) -> list[Complaint]:
    complaints, seen = [], {}
    for draft in drafts:
        if draft.called in seen:
            message = f"has the name `{shorten(draft.called)}`, which another has"
            also = seen[draft.called]
            complaints.append(
                Complaint(Code.BAD_VALUE, message, "give it another `name`", draft.at, also)
            )
        seen.setdefault(draft.called, draft.at)
    return complaints


def _mixed(drafts: list[_Draft]) -> list[Complaint]:
    first = drafts[0]
    return [
        Complaint(
            Code.CONFLICT,
            "is in another unit than the first power",
            "give all in watts, such as `2.5W`, or all relative to a slow core, such as `6.8`",
            (*draft.at, key),
            (*first.at, "power"),
        )
        for draft in drafts
        for key, power in (("power", draft.power), ("idle_power", draft.idle_power))
        if power is not None
        and first.power is not None
        # Nothing is nothing in any unit.
        and power.unit is not first.power.unit
        and power.ppm
    ]


def _idle(drafts: list[_Draft]) -> list[Complaint]:
    return [
        Complaint(
            Code.CONFLICT,
            "is above the power at work",
            "lower it",
            (*(draft.at if "types" in draft.at else ("dvfs",)), "idle_power"),
            (*draft.at, "power"),
        )
        for draft in drafts
        if draft.power and draft.idle_power and draft.idle_power.ppm > draft.power.ppm
    ]


def _reference_speed(spec: CoresSpec, drafts: list[_Draft], reference: str) -> Fraction:
    named = [draft.speed for draft in drafts if draft.called == reference]
    published = PUBLISHED.get(spec.power_from or "", {})
    named += [Fraction(ppm, PPM) for ppm, core in published.items() if core.name == reference]
    one = named[0] if named else drafts[0].speed
    assert one is not None
    return one


def _relative(drafts: list[_Draft], one: Fraction) -> tuple[CoreType, ...]:
    types = []
    for draft in drafts:
        assert draft.speed is not None
        assert draft.power is not None
        idle_ppm = draft.idle_power.ppm if draft.idle_power else 0
        speed_ppm = round(draft.speed / one * PPM)
        told = draft.power.ppm, idle_ppm, draft.move_us
        types.append(CoreType(draft.called, draft.count, speed_ppm, *told))
    return tuple(types)


def _with_static(cores: Cores, spec: CoresSpec) -> Cores:
    if spec.power_from != "cubic":
        return cores
    share_ppm = CUBIC_STATIC_PPM if spec.static_share_ppm is None else spec.static_share_ppm
    static_ppm = cubic_static_ppm(cores.peak_ppm, share_ppm)
    return Cores(cores.types, cores.is_in_place, cores.unit, static_ppm)
