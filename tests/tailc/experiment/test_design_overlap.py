"""Held-out traces that share requests with the compile, beside traces of which it is known."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.artifact.envelope import InputRole
from tailc.errors import Code, Severity
from tailc.experiment.design_overlap import overlap_findings, trace_overlap
from tailc.traces.summary import summary
from tests.tailc.verify.policies import held_out, policy


def profile(demand_ms, weight=1):
    count = len(demand_ms)
    return replace(
        held_out(2),
        demand_ms=np.asarray(demand_ms, dtype=np.float64),
        weight=np.full(count, weight),
        curve_of=np.zeros(count, np.int32),
    )


def compiled_from(design):
    (part,) = policy(compiled_from=design).inputs
    return replace(policy(), inputs=(replace(part, demand=summary(design)),))


def drawn(count, seed, step_ms=1e-6):
    """Gamma demands with a mean of 20 ms, in whole steps."""
    demand_ms = np.random.default_rng(seed).gamma(2, 10, count)
    return np.maximum(np.rint(demand_ms / step_ms), 1) * step_ms


def with_hits(demand_ms, seed):
    """Two in five requests are cache hits of 0.25 ms."""
    return np.where(np.random.default_rng(seed).random(len(demand_ms)) < 0.4, 0.25, demand_ms)


DESIGN = drawn(4_000, 1)
OTHERS = drawn(4_000, 2)
POLICY = compiled_from(profile(DESIGN))


@pytest.mark.parametrize(
    ("design_rows", "other_rows"),
    [(2_000, 0), (4_000, 1_000), (2_000, 2_000), (1_000, 3_000), (3_999, 0)],
)
def test_about_as_many_requests_are_found_as_both_traces_have(design_rows, other_rows):
    mixed = np.concatenate((DESIGN[:design_rows], OTHERS[:other_rows]))
    found = trace_overlap(POLICY, profile(np.random.default_rng(3).permutation(mixed)))
    assert found is not None
    assert found.compared == 99
    # of 99 requests the share is known to 5 % (one standard deviation)
    assert found.requests == pytest.approx(design_rows, abs=0.15 * len(DESIGN))


def test_half_of_the_rows_of_a_small_trace_are_found():
    design = drawn(200, 4)
    assert trace_overlap(compiled_from(profile(design)), profile(design[::2])) is not None


def test_times_in_whole_microseconds_are_told_apart():
    design = drawn(2_000, 5, step_ms=1e-3)
    known = compiled_from(profile(design))
    assert trace_overlap(known, profile(design[::2])) is not None
    assert trace_overlap(known, profile(drawn(2_000, 6, step_ms=1e-3))) is None


def test_a_demand_that_many_requests_have_does_not_count():
    design = with_hits(DESIGN, 7)
    known = compiled_from(profile(design))
    assert trace_overlap(known, profile(with_hits(OTHERS, 8))) is None
    assert trace_overlap(known, profile(design[::2])) is not None


@pytest.mark.parametrize("step_ms", [1e-6, 1e-3, 1e-2, 0.1, 1])
@pytest.mark.parametrize("rows", [50, 500, 5_000])
def test_requests_of_the_same_law_share_nothing_but_by_chance(step_ms, rows):
    known = compiled_from(profile(drawn(2_000, 9, step_ms)))
    found = [trace_overlap(known, profile(drawn(rows, seed, step_ms))) for seed in range(10, 20)]
    assert found == [None] * 10


def test_a_few_shared_requests_are_put_down_to_chance():
    assert trace_overlap(POLICY, profile(np.concatenate((DESIGN[:40], OTHERS)))) is None


def test_what_is_said_already_or_cannot_be_known_is_no_overlap():
    half = profile(DESIGN[::2])
    assert trace_overlap(POLICY, profile(DESIGN)) is None
    assert trace_overlap(policy(compiled_from=profile(DESIGN)), half) is None
    assert trace_overlap(policy(), half) is None
    assert trace_overlap(POLICY, replace(half, is_of_points=True)) is None
    (part,) = POLICY.inputs
    supply = replace(POLICY, inputs=(replace(part, role=InputRole.SUPPLY),))
    assert trace_overlap(supply, half) is None


def test_rows_that_stand_for_several_requests_are_known_to_repeat():
    """Each demand occurs three times, so none tells one request from another."""
    assert trace_overlap(POLICY, profile(DESIGN[::2], weight=3)) is None


def test_each_policy_that_shares_requests_is_named():
    other = replace(compiled_from(profile(OTHERS)), name="other")
    (finding,) = overlap_findings((POLICY, other), profile(DESIGN[::2]), "half.csv")
    assert (finding.code, finding.severity) == (Code.SHARED_REQUESTS, Severity.WARNING)
    assert finding.message.startswith("`half.csv` contains about ")
    assert "policy `search` was compiled from" in finding.message
    assert "of 99 demands that the policy records" in finding.message
    both = profile(np.concatenate((DESIGN[::2], OTHERS[::2])))
    assert len(overlap_findings((POLICY, other), both, "both.csv")) == 2
    assert len(overlap_findings((POLICY, POLICY), both, "both.csv")) == 1
    assert overlap_findings((POLICY, other), profile(drawn(4_000, 11)), "new.csv") == ()
