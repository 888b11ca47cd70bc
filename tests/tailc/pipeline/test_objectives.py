"""Several objectives: each is a limit on replays of the design sample."""

import re

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.objectives import NumberedSlo, PredictedTails, RateTails
from tailc.specs.slo import Slo
from tests.tailc.policies.cases import write_case
from tests.tailc.toy import with_lines, write_toy


def several(folder, later, *, target="5", speedup="[1, 1.5, 2]", rates="10/s, 20/s"):
    """Four cores under 10 and 20 requests a second of 86 ms each, gold ones among them."""
    demand = np.random.default_rng(3).gamma(1.6, 54.0, 400).round(2) + 1
    kinds = ("gold", "iron")
    rows = "".join(f"{i},{d},{kinds[i % 2]}\n" for i, d in enumerate(demand))
    spec = with_lines(
        ("percentile: 99%, latency: 200ms}", f"percentile: 99%, latency: 2s}}, {later}"),
        ("cores: 6, target_parallelism: 6", f"cores: 4, target_parallelism: {target}"),
        ("[1, 1.5, 2]", speedup),
        ("rates: [10/s]", f"rates: [{rates}]"),
    )
    return compile_policy(write_toy(folder, spec, "request,demand_ms,type\n" + rows))


def refusals(folder, later, **changes):
    with pytest.raises(TailcError) as caught:
        several(folder, later, **changes)
    return [one for one in caught.value.findings if one.code is Code.INFEASIBLE]


def test_what_each_objective_has_at_each_rate_is_in_the_evidence(tmp_path):
    policy = several(tmp_path, "{percentile: 50%, latency: 1s}").policy
    told = dict(policy.evidence.settings)
    tails_us = {
        name: value for name, value in told.items() if name.endswith("_us") and "slo" in name
    }
    assert set(tails_us) == {f"slo_{slo}_rate_{rate}_us" for slo in (1, 2) for rate in (1, 2)}
    # More requests wait for one another, and a median is no 99th percentile.
    assert told["slo_2_rate_1_us"] < told["slo_2_rate_2_us"] < told["slo_1_rate_2_us"]
    # Of a median demand of 72 ms nothing is faster than on three threads.
    assert 72_000 / 2 < told["slo_2_rate_1_us"] < 1_000_000


def test_one_objective_alone_is_for_verify_to_judge(tmp_path):
    policy = compile_policy(write_toy(tmp_path)).policy
    assert not any("rate_1_us" in name for name, _ in policy.evidence.settings)


def test_a_policy_that_misses_a_later_objective_is_refused_with_the_nearest_latency(tmp_path):
    told = dict(several(tmp_path, "{percentile: 50%, latency: 1s}").policy.evidence.settings)
    nearest_us = told["slo_2_rate_2_us"]
    several(tmp_path, f"{{percentile: 50%, latency: {nearest_us}us}}")
    (finding,) = refusals(tmp_path, f"{{percentile: 50%, latency: {nearest_us - 1}us}}")
    assert "at 20/s" in finding.message
    assert finding.help is not None
    assert f"{nearest_us / 1000:g} ms" in finding.help
    assert finding.place is not None
    assert finding.place.line == 4
    assert f"{nearest_us - 1}us" in str(finding.place.excerpt)


@pytest.mark.parametrize("rates", ["10/s, 20/s", "20/s"])
def test_a_miss_names_the_rate_up_to_which_all_objectives_hold(tmp_path, rates):
    """The latency lies between those that the median has at 10/s and at 20/s."""
    median = "{percentile: 50%, latency: 60ms}"
    (finding,) = refusals(tmp_path, median, rates=rates)
    named = re.search(r"lower `rates` to ([0-9]+)/s at most", str(finding.help))
    assert named is not None, finding.help
    told = int(named[1])
    assert 10 <= told < 20
    assert several(tmp_path, median, rates=f"{told}/s").policy.rates_mrps == (told * 1_000,)
    assert refusals(tmp_path, median, rates=f"{told + 2}/s")


def test_where_a_target_can_leave_room_for_waiting_that_is_what_helps(tmp_path):
    case = write_case("slow-to-fast", tmp_path)
    spec = case.spec.read_text()
    assert spec.count("slo: [{percentile: 95%, latency: 80ms}]") == 1
    both = "slo: [{percentile: 95%, latency: 80ms}, {percentile: 50%, latency: 1s}]"
    case.spec.write_text(spec.replace("slo: [{percentile: 95%, latency: 80ms}]", both))
    with pytest.raises(
        TailcError, match="`p95 <= 80 ms` is not met together with the others"
    ) as caught:
        compile_policy(str(case.spec))
    assert "lower `target`" in str(caught.value.findings[0].help)
    case.spec.write_text(case.spec.read_text() + "target: 70ms\n")
    told = dict(compile_policy(str(case.spec)).policy.evidence.settings)
    assert told["slo_1_rate_1_us"] <= 80_000


CLASSES = "{classes: {column: type, curves: {gold: [1, 1.8, 2.5], iron: [1, 1.2, 1.5]}}}"


def test_an_objective_of_a_class_is_of_its_own_requests(tmp_path):
    later = "{percentile: 50%, latency: 1s, class: gold}, {percentile: 50%, latency: 1s}"
    told = dict(several(tmp_path, later, speedup=CLASSES).policy.evidence.settings)
    # Gold requests run faster than those of both classes together.
    assert told["slo_2_rate_1_us"] < told["slo_3_rate_1_us"]


def test_of_a_sweep_a_candidate_that_keeps_all_objectives_is_chosen(tmp_path):
    loose = several(tmp_path, "{percentile: 50%, latency: 1s}", target="[4, 12]")
    medians = [
        dict(
            several(
                tmp_path, "{percentile: 50%, latency: 1s}", target=each
            ).policy.evidence.settings
        )
        for each in ("4", "12")
    ]
    worst_us = [max(m["slo_2_rate_1_us"], m["slo_2_rate_2_us"]) for m in medians]
    better = worst_us.index(min(worst_us))
    limit = f"{{percentile: 50%, latency: {min(worst_us)}us}}"
    tight = several(tmp_path, limit, target="[4, 12]")
    assert tight.sweep.best == better
    assert [one.keeps_all for one in tight.sweep.candidates] == [better == 0, better == 1]
    assert all(one.keeps_all for one in loose.sweep.candidates)


def test_an_overloaded_rate_misses_every_objective_however_short_its_tail():
    limits = (NumberedSlo(0, Slo(990_000, 9_000)), NumberedSlo(1, Slo(500_000, 9_000)))
    found = PredictedTails(
        limits, (RateTails(1_000, (8_000, 3_000), True), RateTails(500, (9_000, 1), False))
    )
    assert not found.holds
    assert [(limit.number, at.rate_mrps) for limit, at, _ in found.misses] == [
        (0, 1_000),
        (1, 1_000),
    ]
