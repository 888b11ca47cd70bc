"""What a new policy breaks for servers and users of the old one, by class."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy, Slo
from tailc.artifact.json_form import minor_of
from tailc.artifact.shapes import FORM_NAMES
from tailc.diff.structure import StructureDiff
from tailc.forms.ladder.table import Ladder
from tailc.units import format_mrps


class BreakClass(enum.Enum):
    """Who is affected: readers, the code of servers, servers at some loads, requests, and users."""

    READER = "reader"
    SERVER = "server"
    DOMAIN = "domain"
    BEHAVIOUR = "behaviour"
    SLO = "slo"


@dataclass(frozen=True)
class Break:
    """An incompatible change of the new policy, in a sentence; `of`: who is affected."""

    of: BreakClass
    text: str


def breaks(old: Policy, new: Policy, structure: StructureDiff) -> tuple[Break, ...]:
    """List every incompatible change of the new policy, ordered by who is affected."""
    return tuple(
        Break(of, text)
        for of, texts in (
            (BreakClass.READER, _of_readers(old, new)),
            (BreakClass.SERVER, _of_servers(old, new)),
            (BreakClass.DOMAIN, _of_domain(old, new)),
            (BreakClass.BEHAVIOUR, _of_behaviour(structure)),
            (BreakClass.SLO, _of_slos(old, new)),
        )
        for text in texts
    )


def _of_readers(old: Policy, new: Policy) -> Iterator[str]:
    """What a reader that opens the old policy may refuse."""
    if minor_of(new) > minor_of(old):
        yield f"needs readers of schema 1.{minor_of(new)}, before 1.{minor_of(old)}"


def _of_servers(old: Policy, new: Policy) -> Iterator[str]:
    """What a server must do that it did not need to do."""
    was, now = _form(old), _form(new)
    if was != now:
        yield f"is a {now}, before a {was}"
    elif old.controller is None and new.controller is not None:
        yield "has a controller that the server must step"
    for of_class, before, after in _ladders(old, new):
        if after is not None:
            yield from (f"{text}{of_class}" for text in _of_ladder(before, after))
        elif was == now:
            yield f"has no ladder for requests{of_class}"


def _ladders(old: Policy, new: Policy) -> Iterator[tuple[str, Ladder, Ladder | None]]:
    """For each class of requests: its name for messages, its old ladder and its new one.

    A class without a ladder of its own has the ladder for all classes, in either policy. Classes
    without an old ladder are left out; the new ladder is None if the new policy has none.
    """
    was, now = ({one.request_class: one for one in policy.ladders} for policy in (old, new))
    for name in dict.fromkeys((*was, *now)):
        before, after = was.get(name, was.get(None)), now.get(name, now.get(None))
        if before is not None:
            yield "" if name is None else f" of class `{name}`", before, after


def _form(policy: Policy) -> str:
    return FORM_NAMES[type(policy.forms[0])].replace("-", " ")


def _of_ladder(old: Ladder, new: Ladder) -> Iterator[str]:
    if old.load_axis is not new.load_axis:
        yield f"has loads in {new.load_axis.value}, before in {old.load_axis.value}"
    if added := [rule.value for rule in new.rules if rule not in old.rules]:
        yield f"has rules that the server must follow: {', '.join(added)}"
    known = {rung.name for rung in old.rungs}
    if strange := [rung.name for rung in new.rungs if rung.name not in known]:
        yield f"has rungs that the server must set: {', '.join(strange)}"


def _of_domain(old: Policy, new: Policy) -> Iterator[str]:
    """Loads and rates that only the old policy was compiled for."""
    for of_class, before, after in _ladders(old, new):
        if after is None or after.load_axis is not before.load_axis:
            continue
        was, now = before.guard, after.guard
        if now.min_load > was.min_load or now.max_load < was.max_load:
            yield (
                f"is for loads from {now.min_load} to {now.max_load}{of_class}, "
                f"before from {was.min_load} to {was.max_load}"
            )
    if old.rates_mrps and new.rates_mrps and max(new.rates_mrps) < max(old.rates_mrps):
        highest = format_mrps(max(new.rates_mrps)), format_mrps(max(old.rates_mrps))
        yield "is for rates up to {}, before up to {}".format(*highest)


def _of_behaviour(structure: StructureDiff) -> Iterator[str]:
    if structure.changes_behaviour:
        yield "decides differently"


def _of_slos(old: Policy, new: Policy) -> Iterator[str]:
    """SLOs that the new policy does not imply."""
    for slo in old.slos:
        if any(_implies(other, slo) for other in new.slos):
            continue
        like = [other for other in new.slos if _same_kind(other, slo)]
        yield f"relaxes `{slo}` to `{like[0]}`" if like else f"has no SLO `{slo}`"


def _same_kind(first: Slo, second: Slo) -> bool:
    """Whether two SLOs differ in their percentile and latency at most."""
    alike = replace(first, percentile_ppm=second.percentile_ppm, latency_us=second.latency_us)
    return alike == second


def _implies(first: Slo, second: Slo) -> bool:
    """Whether requests that meet the first SLO meet the second one."""
    is_stricter = first.percentile_ppm >= second.percentile_ppm
    return _same_kind(first, second) and is_stricter and first.latency_us <= second.latency_us
