"""Select the server spans of the requested service, since a trace has spans of many services."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tailc.errors import Code, TailcError, did_you_mean
from tailc.ingest.span_table import Rows
from tailc.traces.source import Source

_SERVICES_NAMED = 8


def servers_of(
    table: Rows, numbers: dict[str, int], source: Source, services: Sequence[str]
) -> Rows:
    """Select the rows of the server spans of some services; without a name, of the only service.

    numbers: number of each service in the table. Raises TailcError for a name that no server span
    has, unless there is no server span at all, and if no name is given but several services have
    server spans.
    """
    servers = table[table["is_server"]]
    names = {number: name for name, number in numbers.items()}
    found, counts = np.unique(servers["service"], return_counts=True)
    spans = {names[int(number)]: int(count) for number, count in zip(found, counts, strict=True)}
    unknown = [name for name in services if name not in spans]
    if spans and unknown:
        raise _unknown(source, unknown[0], sorted(name for name in spans if name))
    if services:
        return servers[np.isin(servers["service"], [numbers[name] for name in services])]
    if len(spans) > 1:
        raise _several(source, spans)
    return servers


def _unknown(source: Source, service: str, known: Sequence[str]) -> TailcError:
    message = f"`{source.name}` has no server span of the service `{service}`"
    hint = "remove `--service`: its server spans have no name of a service"
    if known:
        hint = did_you_mean(service, known, _SERVICES_NAMED)
    return source.fault(Code.SEVERAL_SERVICES, message, advice=hint)


def _several(source: Source, spans: dict[str, int]) -> TailcError:
    by_count = sorted(spans, key=lambda name: (-spans[name], name))
    listing = ", ".join(
        f"{f'`{name}`' if name else 'without a name'} ({spans[name]:,})"
        for name in by_count[:_SERVICES_NAMED]
    )
    more = len(spans) - _SERVICES_NAMED
    listing += f" and {more:,} more" if more > 0 else ""
    message = f"`{source.name}` has server spans of {len(spans):,} services: {listing}"
    hint = (
        "choose the service of the policy: `--service NAME`; give it again for each name that the "
        "same server has"
    )
    return source.fault(Code.SEVERAL_SERVICES, message, advice=hint)
