"""Sampled spans: the weight that a tracer states, and what it may count for."""

import json

import numpy as np
import pytest

from tailc.ingest.ingest import ingest
from tailc.ingest.sampling import independent_counts, weight_of_state, weight_of_tags
from tests.tailc.ingest.refusal import OPEN, options

MS = 1_000_000


@pytest.mark.parametrize(
    ("state", "weight"),
    [
        ("ot=th:8", 2),
        ("other=1,ot=rv:1234;th:c", 4),
        ("ot=th:fd70a3d70a3d71", 100),
        ("ot=th:0", 1),
        ("ot=p:8;r:10", 256),
        ("ot=p:63", 1),
        ("ot=th:", 1),
        ("ot=th:xyz", 1),
        ("ot=th:-1", 1),
        ("ot=th:ffffffffffffffff", 1),
        ("", 1),
        (None, 1),
    ],
)
def test_a_trace_state_gives_the_weight(state, weight):
    assert weight_of_state(state) == pytest.approx(weight, rel=1e-12)


def test_tags_of_jaeger_give_the_weight():
    tags = {"sampler.type": "probabilistic", "sampler.param": 0.25}
    assert weight_of_tags(tags) == 4
    assert weight_of_tags(tags | {"sampler.type": "ratelimiting"}) == 1
    assert weight_of_tags(tags | {"sampler.param": 0}) == 1
    assert weight_of_tags({"w3c.tracestate": "ot=th:8"}) == 2


def test_equal_weights_change_nothing():
    assert independent_counts(np.array([3.0, 1, 2]), np.full(3, 100.0)).tolist() == [1, 1, 1]


def test_unequal_weights_count_as_the_effective_number_of_spans():
    # Kish: (2 x 10 + 8 x 1)^2 / (2 x 100 + 8 x 1) = 784 / 208 = 3.8 of the ten spans.
    counts = independent_counts(np.arange(10.0), np.array([10.0] * 2 + [1] * 8))
    assert counts.sum() == 4
    assert counts[:2].sum() == 3


def export(path, states):
    """A server span of 1 ms, 2 ms, ... for each trace state, in a trace of its own."""
    spans = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:016x}",
            "kind": 2,
            "startTimeUnixNano": str(10**18),
            "endTimeUnixNano": str(10**18 + number * MS),
            "traceState": state,
        }
        for number, state in enumerate(states, 1)
    ]
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    return path


def test_spans_of_a_tail_sampler_are_weighted(tmp_path):
    # Five slow traces, all of them sampled, and five fast ones of a thousand sampled at 1/64.
    path = export(tmp_path / "spans.json", ["ot=th:fc"] * 5 + ["ot=th:0"] * 5)
    found = ingest([str(path)], options(), OPEN)
    times = found.inputs[0].times
    assert times.selected == "own time of server spans, weighted by their sampling"
    # (5 x 64 + 5)^2 / (5 x 64^2 + 5) = 5.16 spans, of which 0.08 are slow.
    assert times.requests == 5
    assert times.histogram.max_ns <= 5 * MS


def test_a_weight_in_the_first_span_is_that_of_its_trace(tmp_path):
    whole = json.loads(export(tmp_path / "spans.json", ["ot=th:8", ""]).read_text())
    spans = whole["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans[1]["traceId"] = spans[0]["traceId"]
    (tmp_path / "spans.json").write_text(json.dumps(whole))
    # Both spans have the weight 2, so both count.
    assert ingest([str(tmp_path / "spans.json")], options(), OPEN).inputs[0].times.requests == 2
