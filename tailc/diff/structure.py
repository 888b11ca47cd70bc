"""Compare the content of two policies, whatever schema version they were written with."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest

from tailc.artifact.envelope import Input, Policy
from tailc.artifact.reading_record import record_of_reading
from tailc.diff.budget_tables import budget_table_changes
from tailc.diff.controllers import controller_changes
from tailc.diff.differences import SettingChange, differences
from tailc.diff.plans import SAME_PLAN, PlanChange, plan_change
from tailc.diff.rows import RowChange, matched_labels, row_changes
from tailc.diff.settings import settings
from tailc.diff.shares import shares_changes
from tailc.diff.tail_tables import SAME_TAIL_TABLE, TailTableChange, tail_table_change
from tailc.errors import Code, Finding, Severity
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Ladder, LoadAxis
from tailc.traces.reading import TraceReading
from tailc.units import format_mrps

# Fields of a policy that it promises or that affect a runtime; all others describe its origin.
_DECISIONS = ("name", "kind", "slos", "rates_mrps", "forms")


@dataclass(frozen=True)
class FormChange:
    """Differences between the ladders of two policies for one class of requests (None: all).

    `rows` is empty if the load axes differ (loads count different things).
    """

    request_class: str | None
    load_axis: LoadAxis
    settings: tuple[SettingChange, ...]
    rows: tuple[RowChange, ...]


@dataclass(frozen=True)
class StructureDiff:
    """Every difference between the content of two policies.

    `promise`: differences in name, kind, SLOs and rates. `added` and `removed`: classes of ladders
    that only one policy has. `forms`: ladders that differ. `without_effect`: differences in
    generation, inputs, reading and evidence. All other fields: differences of the form of that
    name.
    """

    promise: tuple[SettingChange, ...]
    added: tuple[str | None, ...]
    removed: tuple[str | None, ...]
    forms: tuple[FormChange, ...]
    controller: tuple[SettingChange, ...]
    without_effect: tuple[SettingChange, ...]
    tail_table: TailTableChange = SAME_TAIL_TABLE
    shares: tuple[SettingChange, ...] = ()
    plan: PlanChange = SAME_PLAN
    budget_table: tuple[SettingChange, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the two policies have different SLOs, or decide differently."""
        return bool(self.promise) or self.changes_behaviour

    @property
    def changes_behaviour(self) -> bool:
        """Whether a runtime behaves differently under the two policies."""
        ladders = self.added or self.removed or self.forms
        others = self.controller or self.tail_table or self.shares or self.plan
        others = others or self.budget_table
        return bool(ladders or others)


def compare_structure(old: Policy, new: Policy) -> StructureDiff:
    """Compare the content of two policies."""
    before = {form.request_class: form for form in old.ladders}
    after = {form.request_class: form for form in new.ladders}
    both = [name for name in before if name in after]
    forms = [_form_change(before[name], after[name]) for name in both]
    return StructureDiff(
        promise=tuple(_promise(old, new)),
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        forms=tuple(form for form in forms if form.settings or form.rows),
        controller=tuple(controller_changes(old.controller, new.controller)),
        without_effect=tuple(_provenance_changes(old, new)),
        tail_table=tail_table_change(old.tail_table, new.tail_table),
        shares=tuple(shares_changes(old.shares, new.shares)),
        plan=plan_change(old.plan, new.plan, (old.later_jobs, new.later_jobs)),
        budget_table=tuple(budget_table_changes(old.budget_table, new.budget_table)),
    )


def remarks(old: Policy, new: Policy) -> tuple[Finding, ...]:
    """Warn if the two policies are probably not of the same service."""
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


def _promise(old: Policy, new: Policy) -> Iterator[SettingChange]:
    yield from differences(
        {"name": old.name, "kind": old.kind}, {"name": new.name, "kind": new.kind}
    )
    gone = [str(slo) for slo in old.slos if slo not in new.slos]
    come = [str(slo) for slo in new.slos if slo not in old.slos]
    yield from (SettingChange("SLO", *pair) for pair in zip_longest(gone, come))
    yield from differences({"rates": _rates(old)}, {"rates": _rates(new)})


def _rates(policy: Policy) -> str:
    return ", ".join(format_mrps(rate) for rate in policy.rates_mrps) or "none"


def _provenance_changes(old: Policy, new: Policy) -> Iterator[SettingChange]:
    for field in fields(Policy):
        if field.name not in _DECISIONS:
            before, after = getattr(old, field.name), getattr(new, field.name)
            if before != after:
                yield from differences(
                    dict(leaves(field.name, before)), dict(leaves(field.name, after))
                )


def _form_change(old: Ladder, new: Ladder) -> FormChange:
    return FormChange(
        old.request_class,
        new.load_axis,
        tuple(_setting_changes(old, new)),
        row_changes(old, new) if old.load_axis is new.load_axis else (),
    )


def _setting_changes(old: Ladder, new: Ladder) -> Iterator[SettingChange]:
    before, after = matched_labels(old, new)
    yield from differences(settings(old, before), settings(new, after))


def leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Flatten a value to pairs such as (`evidence.rows[12].tail_us`, `486000`).

    None gives no pair. The index of an item is its identifying value, or its number from 0. The
    reading of a trace has the names of its fields in an artifact.
    """
    if value is None:
        return
    if isinstance(value, TraceReading):
        value = record_of_reading(value)
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(f"{path}.{field.name}", getattr(value, field.name))
    elif isinstance(value, tuple) and any(map(_has_parts, value)):
        for key, item in _items(value):
            yield from leaves(f"{path}[{key}]", item)
    elif isinstance(value, tuple):
        yield path, ", ".join(str(item) for item in value)
    else:
        yield path, str(value.value if isinstance(value, enum.Enum) else value)


def _has_parts(item: object) -> bool:
    return isinstance(item, tuple) or is_dataclass(item)


def _items(items: tuple[object, ...]) -> list[tuple[str, object]]:
    named = [_identify(item) for item in items]
    if len({name for name, _ in named}) < len(items):
        return [(str(number), item) for number, item in enumerate(items)]
    return named


def _identify(item: object) -> tuple[str, object]:
    match item:
        case RowEvidence():
            return str(item.load), item
        case Input():
            return item.role.value, item
        case (str() as name, value):
            return name, value
    return "", item
