import dataclasses

import numpy as np
import pytest

from tailc.artifact.envelope import InputRole
from tailc.errors import Code, ExitCode, TailcError
from tailc.percentiles import percentile_rank
from tailc.specs.slo import Slo
from tailc.verify.judge import verify
from tailc.verify.options import VerifyOptions
from tailc.verify.verdict import Ruling
from tests.tailc.replay.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out, policy

P99 = Slo(990_000, 100_000)
QUICK = VerifyOptions(requests_per_replay=2000, replicates=60, repeats=8)


def codes(raised) -> list[Code]:
    return [finding.code for finding in raised.value.findings]


def test_without_queueing_the_estimate_is_the_percentile_of_the_held_out_requests():
    trace = held_out(800)
    form = ladder(at_once((0, 0)), rungs=1)
    options = VerifyOptions(requests_per_replay=8000, replicates=60, repeats=4)
    point = verify(policy(P99, form=form), trace, options).points[0]
    in_order = np.sort(trace.demand_ms)
    wanted = in_order[percentile_rank(990_000, 800) - 1] * 1000
    # warm-up leaves part of the passes out, so the rank may move by one
    near = in_order[[percentile_rank(990_000, 800) - 2, percentile_rank(990_000, 800)]] * 1000
    assert round(near[0]) <= point.policy.estimate_us <= round(near[1])
    assert point.policy.low_us < wanted < point.policy.high_us
    # the same without the policy, since the policy does nothing
    assert point.policy == point.baseline


def test_policy_and_baseline_meet_the_same_arrivals():
    points = verify(policy(P99), held_out(), QUICK).points
    assert points[0].policy.load.mean_latency_us < points[0].baseline.load.mean_latency_us


def test_a_generous_target_passes_and_a_mean_one_fails():
    generous, harsh = Slo(500_000, 10_000_000), Slo(500_000, 1)
    found = verify(policy(generous, harsh), held_out(), QUICK)
    assert [point.policy.ruling for point in found.points] == [Ruling.PASS, Ruling.FAIL]
    assert found.exit_code is ExitCode.MISSED
    assert verify(policy(generous), held_out(), QUICK).exit_code is ExitCode.OK


def test_too_few_held_out_requests_never_pass():
    found = verify(policy(Slo(990_000, 10_000_000)), held_out(300), QUICK)
    verdict = found.points[0].policy
    assert verdict.high_us is None
    assert verdict.ruling is Ruling.UNDECIDED
    assert verdict.more_requests == 68
    assert found.exit_code is ExitCode.UNDECIDED


def test_weights_count_as_requests():
    binned, listed = held_out(100, weight=5), held_out(100)
    p99 = policy(Slo(990_000, 10_000_000))
    assert verify(p99, binned, QUICK).held_out_requests == 500
    assert verify(p99, binned, QUICK).points[0].policy.high_us is not None
    assert verify(p99, listed, QUICK).points[0].policy.high_us is None


def test_every_slo_is_judged_at_every_rate():
    found = verify(
        policy(P99, Slo(500_000, 20_000), rates_mrps=(50_000, 20_000)), held_out(), QUICK
    )
    assert [(p.slo.percentile_ppm, p.rate_mrps) for p in found.points] == [
        *((990_000, 20_000), (990_000, 50_000)),
        *((500_000, 20_000), (500_000, 50_000)),
    ]


def test_given_rates_replace_those_of_the_policy():
    options = dataclasses.replace(QUICK, rates_mrps=(7_000,))
    assert [p.rate_mrps for p in verify(policy(P99), held_out(), options).points] == [7_000]


def test_a_server_that_cannot_keep_up_is_overloaded():
    # 20 ms of work each at 500/s need 10 cores
    options = dataclasses.replace(QUICK, rates_mrps=(500_000,))
    found = verify(policy(P99, form=climbing(cores=8)), held_out(), options)
    verdict = found.points[0].policy
    assert verdict.load.is_overloaded
    assert verdict.ruling is Ruling.FAIL
    assert verdict.more_requests is None


def test_a_server_that_fills_up_while_it_warms_up_is_overloaded():
    options = VerifyOptions(
        requests_per_replay=60_000, replicates=49, repeats=2, rates_mrps=(50_000_000,)
    )
    point = verify(policy(P99), held_out(), options).points[0]
    assert point.policy.load.is_overloaded
    assert point.policy.load.utilization_ppm == pytest.approx(1_000_000, rel=0.05)
    # its latencies are short, because the replay was over soon
    assert point.policy.estimate_us < P99.latency_us
    assert point.policy.ruling is point.baseline.ruling is Ruling.FAIL


def test_a_busy_server_that_keeps_up_is_not_overloaded():
    options = VerifyOptions(
        requests_per_replay=10_000, replicates=49, repeats=8, rates_mrps=(340_000,)
    )
    baseline = verify(policy(P99, form=climbing(cores=8)), held_out(), options).points[0].baseline
    assert not baseline.load.is_overloaded
    # 340/s times the mean demand over 8 cores
    offered = 0.340 * held_out().demand_ms.mean() / 8
    assert baseline.load.utilization_ppm == pytest.approx(offered * 1e6, rel=0.02)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_nothing(threads):
    alone = verify(policy(P99), held_out(), dataclasses.replace(QUICK, threads=1))
    together = verify(policy(P99), held_out(), dataclasses.replace(QUICK, threads=threads))
    assert together == alone


def test_another_seed_is_another_sample():
    one, two = (verify(policy(P99), held_out(), dataclasses.replace(QUICK, seed=s)) for s in (1, 2))
    assert one.points != two.points


def test_adding_a_rate_leaves_the_others_as_they_were():
    one = verify(policy(P99), held_out(), dataclasses.replace(QUICK, rates_mrps=(50_000,)))
    two = verify(policy(P99), held_out(), dataclasses.replace(QUICK, rates_mrps=(20_000, 50_000)))
    assert two.points[1] == one.points[0]


def test_progress_counts_every_replay():
    seen: list[tuple[int, int]] = []
    options = dataclasses.replace(QUICK, progress=lambda done, total: seen.append((done, total)))
    verify(policy(P99), held_out(), options)
    assert seen == [(i + 1, 136) for i in range(136)]


@pytest.mark.parametrize("role", [InputRole.DESIGN, InputRole.WHOLE])
def test_the_compile_trace_is_refused_unless_asked_for(role):
    trace = held_out()
    compiled = policy(P99, compiled_from=trace, role=role)
    with pytest.raises(TailcError, match="the trace that policy `search` was compiled from") as no:
        verify(compiled, trace, QUICK)
    assert codes(no) == [Code.COMPILE_TRACE]
    assert "`--allow-compile-trace`" in (no.value.findings[0].help or "")
    assert no.value.exit_code is ExitCode.BAD_CONTENT
    allowed = dataclasses.replace(QUICK, allow_compile_trace=True)
    assert verify(compiled, trace, allowed).is_compile_trace


def test_the_held_out_part_itself_is_welcome():
    trace = held_out()
    compiled = policy(P99, compiled_from=trace, role=InputRole.HELD_OUT)
    assert not verify(compiled, trace, QUICK).is_compile_trace


def test_a_trace_with_too_few_degrees_is_refused_with_its_name():
    options = dataclasses.replace(QUICK, held_out_name="night.parquet")
    with pytest.raises(TailcError, match=r"up to degree `1`.* at degree `2`") as raised:
        verify(policy(P99), held_out(degrees=1), options)
    (finding,) = raised.value.findings
    assert str(finding.place) == "night.parquet"


def test_everything_that_is_missing_is_said_at_once():
    with pytest.raises(TailcError) as raised:
        verify(policy(rates_mrps=()), held_out(degrees=1), QUICK)
    assert codes(raised) == [Code.BAD_ARTIFACT, Code.USAGE, Code.BAD_TIMINGS]


def test_an_slo_for_a_class_that_no_form_is_for_is_refused():
    with pytest.raises(TailcError, match="class `gold`, which no form is for"):
        verify(policy(Slo(990_000, 1000, request_class="gold")), held_out(), QUICK)


def test_a_policy_of_several_forms_is_refused():
    gold = dataclasses.replace(climbing(), request_class="gold")
    two = dataclasses.replace(policy(P99), forms=(climbing(), gold))
    with pytest.raises(TailcError, match="has 2 forms"):
        verify(two, held_out(), QUICK)
