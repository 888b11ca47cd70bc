"""How many spans each sampled span represents, and the counts that such weights justify.

A tracer that samples writes the probability into the trace state of a span: `ot=th:T`, where T is a
rejection threshold of 56 bits in hexadecimal without trailing zeros; older releases write `ot=p:N`
for a probability of 2^-N. Jaeger writes `sampler.type` and `sampler.param` into the first span of a
trace. Source: OpenTelemetry specification, "TraceState: Probability Sampling".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tailc.ingest.span_table import Rows, numbers_of

_DIGITS = 14
_SPACE = 1 << (4 * _DIGITS)
_THRESHOLD = re.compile(f"[0-9a-fA-F]{{1,{_DIGITS}}}")
_EXPONENT = re.compile("[0-9]{1,2}")
# This exponent means that the probability is 0.
_NEVER = 63
_TYPE, _PARAMETER = "sampler.type", "sampler.param"


def weight_of_state(trace_state: object) -> float:
    """Number of spans that a span with this trace state represents; 1 if it states none."""
    if not isinstance(trace_state, str):
        return 1.0
    vendors = (one.strip().partition("=") for one in trace_state.split(","))
    parts = next((value.split(";") for name, _, value in vendors if name == "ot"), [])
    fields = {key: value for key, _, value in (part.partition(":") for part in parts)}
    if _THRESHOLD.fullmatch(fields.get("th", "")):
        return _SPACE / (_SPACE - int(fields["th"].ljust(_DIGITS, "0"), 16))
    exponent = int(fields["p"]) if _EXPONENT.fullmatch(fields.get("p", "")) else 0
    return 2.0**exponent if exponent < _NEVER else 1.0


def weight_of_tags(tags: Mapping[str, object]) -> float:
    """Number of spans that a span with these tags of a Jaeger client represents; 1 if unknown."""
    share = tags.get(_PARAMETER)
    if isinstance(share, int | float) and 0 < share <= 1 and tags.get(_TYPE) == "probabilistic":
        return 1 / share
    return weight_of_state(tags.get("w3c.tracestate"))


def share_weights(table: Rows) -> None:
    """Give each span the largest weight in its trace: some tracers write it only into the first."""
    trace = numbers_of(table["trace_high"], table["trace_low"])
    largest = np.ones(trace.max(initial=-1) + 1)
    np.maximum.at(largest, trace, table["weight"])
    table["weight"] = largest[trace]


def independent_counts(
    times_ns: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Counts in proportion to the weights that are worth no more than the sampled spans.

    They add up to the effective sample size, (sum w)^2 / sum w^2 (Kish, Survey Sampling, 1965), so
    that intervals are as wide as the sample justifies. Their sums along the sorted times are
    rounded, so the share below any time is off by less than one count.
    """
    if not len(weights):
        return np.zeros(0, np.int64)
    scale = weights.sum() / np.square(weights).sum()
    order = np.argsort(times_ns, kind="stable")
    total = np.rint(np.cumsum(weights[order] * scale))
    counts = np.empty(len(weights), np.int64)
    counts[order] = np.diff(total, prepend=0.0).astype(np.int64)
    return counts
