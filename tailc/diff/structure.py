"""What differs between two policies as they are written, whatever schema version wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import zip_longest

from tailc.artifact.envelope import Policy
from tailc.diff.leaves import leaves
from tailc.diff.rows import RowChange, matched_labels, row_changes, rung_labels
from tailc.errors import Code, Finding, Severity
from tailc.forms.ladder.table import Boost, Guard, Ladder, LoadAxis, Outside
from tailc.units import format_mrps, format_us, plain_ppm

# What a policy promises and does. All else in it says where it came from.
_DECISIONS = ("name", "kind", "slos", "rates_mrps", "forms")


@dataclass(frozen=True)
class Change:
    """One thing that differs, in words; None on the side that has no such thing."""

    what: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class FormChange:
    """What differs between the two ladders for one class of requests (None: for all).

    `rows` is empty where the ladders count load otherwise, so that no row stands beside another.
    """

    request_class: str | None
    load_axis: LoadAxis
    settings: tuple[Change, ...]
    rows: tuple[RowChange, ...]


@dataclass(frozen=True)
class Structure:
    """Every difference between two policies.

    `added` and `removed` are the classes of forms that only one policy has. `apart` is what changes
    nothing a runtime does or a policy promises: generation, inputs, reading, evidence.
    """

    promise: tuple[Change, ...]
    added: tuple[str | None, ...]
    removed: tuple[str | None, ...]
    forms: tuple[FormChange, ...]
    apart: tuple[Change, ...]

    @property
    def differs(self) -> bool:
        """Whether the policies promise, or do, anything else."""
        return bool(self.promise) or self.does_otherwise

    @property
    def does_otherwise(self) -> bool:
        """Whether a runtime does anything else."""
        return bool(self.added or self.removed or self.forms)


def structure(old: Policy, new: Policy) -> Structure:
    """What differs, exactly; nothing at all for a policy beside itself."""
    before = {form.request_class: form for form in old.ladders}
    after = {form.request_class: form for form in new.ladders}
    both = [name for name in before if name in after]
    forms = [_form_change(before[name], after[name]) for name in both]
    return Structure(
        promise=tuple(_promise(old, new)),
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        forms=tuple(form for form in forms if form.settings or form.rows),
        apart=tuple(_apart(old, new)),
    )


def remarks(old: Policy, new: Policy) -> tuple[Finding, ...]:
    """Warnings where the policies are not two of one service."""
    return tuple(
        Finding(
            Code.OTHER_SERVICE,
            f"{noun} `{before}` is compared with {noun} `{after}`",
            help="differences may come from the services rather than from a new policy",
            severity=Severity.WARNING,
        )
        for noun, before, after in (("policy", old.name, new.name), ("kind", old.kind, new.kind))
        if before != after
    )


def _promise(old: Policy, new: Policy) -> Iterator[Change]:
    yield from _differing(
        {"name": old.name, "kind": old.kind}, {"name": new.name, "kind": new.kind}
    )
    gone = [str(slo) for slo in old.slos if slo not in new.slos]
    come = [str(slo) for slo in new.slos if slo not in old.slos]
    yield from (Change("SLO", *pair) for pair in zip_longest(gone, come))
    yield from _differing({"rates": _rates(old)}, {"rates": _rates(new)})


def _rates(policy: Policy) -> str:
    return ", ".join(format_mrps(rate) for rate in policy.rates_mrps) or "none"


def _apart(old: Policy, new: Policy) -> Iterator[Change]:
    for field in fields(Policy):
        if field.name not in _DECISIONS:
            before, after = getattr(old, field.name), getattr(new, field.name)
            if before != after:
                yield from _differing(
                    dict(leaves(field.name, before)), dict(leaves(field.name, after))
                )


def _form_change(old: Ladder, new: Ladder) -> FormChange:
    return FormChange(
        old.request_class,
        new.load_axis,
        tuple(_setting_changes(old, new)),
        row_changes(old, new) if old.load_axis is new.load_axis else (),
    )


def _setting_changes(old: Ladder, new: Ladder) -> Iterator[Change]:
    before, after = matched_labels(old, new)
    yield from _differing(_settings(old, before), _settings(new, after))


def _settings(ladder: Ladder, rungs: tuple[str, ...]) -> dict[str, str]:
    """Everything about a ladder but its rows, each with what it is called; `rungs` are labels."""
    return {
        "load": ladder.load_axis.value,
        "cost units": ", ".join(unit.name for unit in ladder.cost_units) or "none",
        **_capacities(ladder),
        "rungs": ", ".join(rung_labels(ladder.rungs)),
        **_rungs(ladder, rungs),
        "rules": ", ".join(rule.value for rule in ladder.rules) or "none",
        "quantum": format_us(ladder.quantum_us),
        "guard": _guard(ladder.guard, ladder.load_axis),
        "boost": _boost(ladder.boost, ladder),
    }


def _capacities(ladder: Ladder) -> dict[str, str]:
    labels = _unit_labels(ladder)
    return {
        f"capacity in {label}": "no limit"
        if unit.capacity_ppm is None
        else plain_ppm(unit.capacity_ppm)
        for label, unit in zip(labels, ladder.cost_units, strict=True)
    }


def _rungs(ladder: Ladder, labels: tuple[str, ...]) -> dict[str, str]:
    said: dict[str, str] = {}
    for label, rung in zip(labels, ladder.rungs, strict=True):
        said[f"speed of {label}"] = plain_ppm(rung.speed_ppm)
        for unit, cost_ppm in zip(_unit_labels(ladder), rung.cost_ppm, strict=True):
            said[f"cost of {label} in {unit}"] = plain_ppm(cost_ppm)
    return said


def _unit_labels(ladder: Ladder) -> list[str]:
    names = [unit.name for unit in ladder.cost_units]
    return [
        name if names.count(name) == 1 else f"{name} (unit {number})"
        for number, name in enumerate(names)
    ]


def _guard(guard: Guard, axis: LoadAxis) -> str:
    low, high = (
        format_mrps(load) if axis is LoadAxis.RATE else str(load)
        for load in (guard.min_load, guard.max_load)
    )
    outside = "the nearest row" if guard.outside is Outside.CLAMP else "the first rung"
    return f"{low} to {high}, {outside} beyond"


def _boost(boost: Boost | None, ladder: Ladder) -> str:
    if boost is None:
        return "none"
    return f"while below {plain_ppm(boost.below_ppm)} {_unit_labels(ladder)[boost.unit]}"


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Where two descriptions differ, in the order of the newer one, what is gone at the end."""
    for what in dict.fromkeys((*new, *old)):
        if old.get(what) != new.get(what):
            yield Change(what, old.get(what), new.get(what))
