import dataclasses
import weakref

import numpy as np
import pytest

from tailc.artifact.envelope import InputRole
from tailc.errors import Code, ExitCode, TailcError
from tailc.experiment import comparison
from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.ruling import Ruling
from tailc.models.arrivals import Burst, Bursts, RateProfile, RateStep, RecordedArrivals
from tailc.percentiles import percentile_rank
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tailc.verify.judge import verify
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.judge_case import P99, QUICK, options_at
from tests.tailc.verify.policies import climbing, held_out, policy


def codes(raised) -> list[Code]:
    return [finding.code for finding in raised.value.findings]


def test_without_queueing_the_estimate_is_the_percentile_of_the_held_out_requests():
    trace = held_out(800)
    form = ladder(at_once((0, 0)), rungs=1)
    options = dataclasses.replace(QUICK, requests_per_replay=8000, repeats=4)
    point = verify(policy(P99, form=form), trace, options).points[0]
    in_order = np.sort(trace.demand_ms)
    wanted = in_order[percentile_rank(990_000, 800) - 1] * 1000
    # warm-up leaves part of the passes out, so the rank may move by one
    near = in_order[[percentile_rank(990_000, 800) - 2, percentile_rank(990_000, 800)]] * 1000
    said = point.policy.estimates[0]
    assert round(near[0]) <= said.estimate_us <= round(near[1])
    assert said.low_us < wanted < said.high_us
    assert said.simulation_us < 0.02 * wanted


def test_a_subject_that_does_as_the_policy_does_gets_the_same_numbers():
    form = ladder(at_once((0, 0)), cores=8, rungs=2)
    point = verify(policy(P99, form=form), held_out(), QUICK).points[0]
    (seq,) = point.baselines
    assert (point.policy.load, point.policy.estimates) == (seq.load, seq.estimates)


def test_policy_and_baseline_meet_the_same_requests_at_the_same_times(monkeypatch):
    met: dict[str, list[tuple[bytes, bytes]]] = {}
    outcome = Experiment.outcome

    def watched(experiment, subject, engine, one):
        replayed = (one.arrival_ns.tobytes(), one.order.tobytes())
        met.setdefault(subject.name, []).append(replayed)
        return outcome(experiment, subject, engine, one)

    monkeypatch.setattr(Experiment, "outcome", watched)
    point = verify(policy(P99), held_out(), QUICK).points[0]
    ours, theirs = (sorted(met[name]) for name in ("search", "SEQ"))
    assert ours == theirs
    assert len(set(ours)) >= QUICK.repeats
    assert point.policy.load.mean_latency_us < point.baselines[0].load.mean_latency_us


def test_a_generous_target_passes_and_a_mean_one_fails():
    generous, harsh = Slo(500_000, 10_000_000), Slo(500_000, 1)
    found = verify(policy(generous, harsh), held_out(), QUICK)
    said = found.points[0].policy.estimates
    assert [one.ruling for one in said] == [Ruling.PASS, Ruling.FAIL]
    assert found.exit_code is ExitCode.MISSED
    assert verify(policy(generous), held_out(), QUICK).exit_code is ExitCode.OK


def test_too_few_held_out_requests_never_pass():
    found = verify(policy(Slo(990_000, 10_000_000)), held_out(300), QUICK)
    (said,) = found.points[0].policy.estimates
    assert said.high_us is None
    assert said.ruling is Ruling.UNDECIDED
    # 90 more make 390; a few more, since those held out are worth less than they number
    assert said.more_requests is not None
    assert 90 <= said.more_requests < 300
    assert found.exit_code is ExitCode.UNDECIDED


def test_weights_count_as_requests():
    binned, listed = held_out(100, weight=5), held_out(100)
    p99 = policy(Slo(990_000, 10_000_000))
    assert verify(p99, binned, QUICK).held_out_requests == 500
    assert verify(p99, binned, QUICK).points[0].policy.estimates[0].high_us is not None
    assert verify(p99, listed, QUICK).points[0].policy.estimates[0].high_us is None


def test_every_slo_is_judged_at_every_rate():
    slos = (P99, Slo(500_000, 20_000))
    found = verify(policy(*slos, rates_mrps=(50_000, 20_000)), held_out(), QUICK)
    assert [(point.arrivals, point.rate_mrps) for point in found.points] == [
        ("20/s", 20_000),
        ("50/s", 50_000),
    ]
    p99, p50 = found.points[0].policy.estimates
    assert p50.estimate_us < p99.estimate_us
    assert found.slos == slos


def test_given_arrivals_replace_the_rates_of_the_policy():
    assert [p.rate_mrps for p in verify(policy(P99), held_out(), options_at(7_000)).points] == [
        7_000
    ]


def test_a_server_that_cannot_keep_up_is_overloaded():
    # 20 ms of work each at 500/s need 10 cores
    found = verify(policy(P99, form=climbing(cores=8)), held_out(), options_at(500_000))
    run = found.points[0].policy
    assert run.load.is_overloaded
    assert run.estimates[0].ruling is Ruling.FAIL
    assert run.estimates[0].more_requests is None


def test_a_server_that_fills_up_while_it_warms_up_is_overloaded():
    options = dataclasses.replace(options_at(50_000_000), requests_per_replay=60_000, repeats=2)
    point = verify(policy(P99), held_out(), options).points[0]
    run = point.policy
    assert run.load.is_overloaded
    assert run.load.utilization_ppm == pytest.approx(1_000_000, rel=0.05)
    # its latencies are short, because the replay was over soon
    assert run.estimates[0].estimate_us < P99.latency_us
    assert run.estimates[0].ruling is point.baselines[0].estimates[0].ruling is Ruling.FAIL


def test_a_handful_of_requests_fails_no_policy_however_long_they_are():
    # 20 ms of work each at 500/s need 10 cores
    found = verify(policy(P99, form=climbing(cores=8)), held_out(5), options_at(500_000))
    assert found.points[0].policy.load.is_overloaded
    assert found.exit_code is ExitCode.UNDECIDED


def test_windows_of_an_slo_for_a_class_are_those_of_its_requests():
    # gold takes 1 ms and bulk 100 ms, in turns
    classes = DemandProfile(
        np.tile([1.0, 100.0], 300),
        np.ones(600, np.int64),
        np.ones((2, 1)),
        np.tile(np.array([0, 1], np.int32), 300),
        ("gold", "bulk"),
        Measure.DEMAND_BUSY,
        "core",
    )
    gold = Slo(950_000, 5_000, window_requests=50, request_class="gold")
    found = verify(policy(gold, form=ladder(at_once((0, 0)), rungs=1)), classes, options_at(10_000))
    assert found.points[0].policy.estimates[0].windows_met_ppm == 1_000_000


def test_a_busy_server_that_keeps_up_is_not_overloaded():
    options = dataclasses.replace(options_at(340_000), requests_per_replay=10_000)
    point = verify(policy(P99, form=climbing(cores=8)), held_out(), options).points[0]
    (seq,) = point.baselines
    assert not seq.load.is_overloaded
    # 340/s times the mean demand over 8 cores
    offered = 0.340 * held_out().demand_ms.mean() / 8
    assert seq.load.utilization_ppm == pytest.approx(offered * 1e6, rel=0.02)


def test_all_baselines_are_chosen_by_the_policy():
    options = dataclasses.replace(QUICK, baselines=("all",))
    (point,) = verify(policy(P99), held_out(), options).points
    names = [run.subject for run in point.baselines]
    assert names[:2] == ["SEQ", "FIX-2"]
    assert len(names) == len(set(names))
    (rc,) = [run for run in point.baselines if run.subject == "RC-2"]
    assert rc.note.startswith("threshold ")


def test_a_name_that_is_no_baseline_is_refused_before_anything_is_replayed():
    seen: list[int] = []
    options = dataclasses.replace(
        QUICK, baselines=("seq", "fix-9", "nope"), progress=lambda done, _: seen.append(done)
    )
    with pytest.raises(TailcError) as raised:
        verify(policy(P99), held_out(), options)
    assert codes(raised) == [Code.USAGE, Code.USAGE]
    assert not seen


def test_bursts_tell_how_each_quantum_settled():
    bursts = Bursts((Burst(500, 20_000), Burst(500, 380_000)))
    options = dataclasses.replace(QUICK, arrivals=(bursts,))
    (point,) = verify(policy(P99, Slo(500_000, 20_000)), held_out(), options).points
    calm, hectic = point.policy.stretch_us
    assert len(calm) == len(hectic) == 2
    assert all(a < b for a, b in zip(calm, hectic, strict=True))
    assert verify(policy(P99), held_out(), options_at(20_000)).points[0].policy.stretch_us == ()


def test_a_request_leaves_at_the_cut_off():
    options = dataclasses.replace(options_at(10_000), cut_off_us=30_000)
    said = verify(policy(P99), held_out(), options).points[0].baselines[0].estimates[0]
    assert said.estimate_us == 30_000


def test_the_estimate_under_recorded_arrivals_is_of_the_recording_itself():
    trace = held_out()
    times_ns = np.arange(2000, dtype=np.int64) * 50_000_000
    recorded = RecordedArrivals(times_ns, np.arange(2000, dtype=np.int32), "`at`")
    seen: list[tuple[int, int]] = []
    options = dataclasses.replace(
        QUICK, arrivals=(recorded,), progress=lambda done, total: seen.append((done, total))
    )
    (point,) = verify(policy(P99, form=ladder(at_once((0, 0)), rungs=1)), trace, options).points
    # nobody waits: the percentile of all but the first twentieth
    measured = np.sort(trace.demand_ms[100:])
    wanted = round(measured[percentile_rank(990_000, 1900) - 1] * 1000)
    assert point.policy.estimates[0].estimate_us == pytest.approx(wanted, abs=1)
    assert point.policy.estimates[0].simulation_us == 0
    assert seen[-1] == (122, 122)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_nothing(threads):
    alone = verify(policy(P99), held_out(), dataclasses.replace(QUICK, threads=1))
    together = verify(policy(P99), held_out(), dataclasses.replace(QUICK, threads=threads))
    assert together == alone


def test_another_seed_is_another_sample():
    one, two = (verify(policy(P99), held_out(), dataclasses.replace(QUICK, seed=s)) for s in (1, 2))
    assert one.points != two.points


def test_adding_a_rate_leaves_the_others_as_they_were():
    one = verify(policy(P99), held_out(), options_at(50_000))
    two = verify(policy(P99), held_out(), options_at(20_000, 50_000))
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
    with pytest.raises(
        TailcError, match="is the trace from which policy `search` was compiled"
    ) as no:
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


def classed(requests: int = 2000) -> DemandProfile:
    """Every fourth request is `gold` and has four times the demand of the others, `tin`."""
    plain = held_out(requests)
    is_gold = (np.arange(requests) % 4 == 0).astype(np.int32)
    return dataclasses.replace(
        plain,
        demand_ms=plain.demand_ms * (1 + 3 * is_gold),
        curves=np.repeat(plain.curves, 2, axis=0),
        curve_of=is_gold,
        curve_names=("tin", "gold"),
    )


def test_an_slo_for_a_class_is_judged_on_its_own_requests():
    gold = Slo(500_000, 60_000, request_class="gold")
    tin = Slo(500_000, 60_000, request_class="tin")
    form = ladder(at_once((0, 0)), rungs=1)
    trace = classed()
    found = verify(policy(gold, tin, form=form), trace, QUICK).points[0].policy.estimates
    for said, number in zip(found, (1, 0), strict=True):
        own = np.sort(trace.demand_ms[trace.curve_of == number])
        wanted = own[percentile_rank(500_000, len(own)) - 1] * 1000
        assert said.estimate_us == pytest.approx(wanted, rel=0.01)


def test_each_class_climbs_its_own_ladder():
    plain, fast = ladder(at_once((0, 0)), rungs=2), ladder(at_once((0, 1)), rungs=2)
    forms = (
        dataclasses.replace(plain, request_class="tin"),
        dataclasses.replace(fast, request_class="gold"),
    )
    slos = tuple(Slo(500_000, 60_000, request_class=name) for name in ("gold", "tin"))
    trace = classed()
    two = dataclasses.replace(policy(*slos), forms=forms)
    gold, tin = verify(two, trace, QUICK).points[0].policy.estimates
    of_gold = np.median(trace.demand_ms[trace.curve_of == 1]) * 1000 / 1.8
    assert gold.estimate_us == pytest.approx(of_gold, rel=0.02)
    assert tin.estimate_us == pytest.approx(
        np.median(trace.demand_ms[trace.curve_of == 0]) * 1000, rel=0.02
    )


def test_a_class_of_the_trace_that_no_form_is_for_is_refused():
    gold = dataclasses.replace(climbing(), request_class="gold")
    only_gold = dataclasses.replace(policy(P99), forms=(gold,))
    with pytest.raises(TailcError, match="no table for requests of class `tin`") as raised:
        verify(only_gold, classed(), QUICK)
    assert codes(raised) == [Code.METHOD_UNFIT]


def test_a_general_form_takes_the_classes_without_one_of_their_own():
    gold = dataclasses.replace(climbing(), request_class="gold")
    both = dataclasses.replace(policy(P99), forms=(climbing(), gold))
    one = verify(policy(P99), classed(), QUICK).points[0].policy
    assert verify(both, classed(), QUICK).points[0].policy == one


def test_a_policy_by_class_needs_a_trace_with_classes():
    gold = dataclasses.replace(climbing(), request_class="gold")
    two = dataclasses.replace(policy(P99), forms=(climbing(), gold))
    with pytest.raises(TailcError, match="has tables for the classes `gold`, but the trace has no"):
        verify(two, held_out(), QUICK)
    with pytest.raises(TailcError, match="has tables for the classes `gold`"):
        verify(policy(Slo(990_000, 1000, request_class="gold")), held_out(), QUICK)


def test_an_slo_for_a_class_that_the_trace_lacks_is_refused():
    with pytest.raises(TailcError, match="class `brass`, but the trace has no") as raised:
        verify(policy(Slo(990_000, 1000, request_class="brass")), classed(), QUICK)
    assert codes(raised) == [Code.METHOD_UNFIT]


def test_a_cut_off_is_told_with_the_share_of_requests_that_it_ended():
    trace = held_out(800)
    form = ladder(at_once((0, 0)), rungs=1)
    options = dataclasses.replace(QUICK, cut_off_us=20_000, requests_per_replay=8000)
    found = verify(policy(P99, form=form), trace, options)
    # nobody waits or shares a core: who has more than 20 ms of work is cut off
    longer = np.mean(trace.demand_ms > 20)
    assert found.cut_off_us == 20_000
    assert found.points[0].policy.load.cut_ppm == pytest.approx(longer * 1e6, rel=0.01)
    assert found.points[0].policy.estimates[0].estimate_us == 20_000
    whole = verify(policy(P99, form=form), trace, QUICK)
    assert (whole.cut_off_us, whole.points[0].policy.load.cut_ppm) == (None, 0)


def in_bursts(*rates_mrps: int) -> VerifyOptions:
    return dataclasses.replace(QUICK, arrivals=(Bursts(tuple(Burst(600, r) for r in rates_mrps)),))


@pytest.mark.parametrize("rates_mrps", [(40_000, 300_000), (300_000, 40_000)])
def test_bursts_that_a_server_carries_overload_it_in_neither_order(rates_mrps):
    # eight cores carry 400 requests/s of 20 ms
    (point,) = verify(policy(P99), held_out(), in_bursts(*rates_mrps)).points
    assert not point.policy.load.is_overloaded


@pytest.mark.parametrize("seconds_at", [((10, 20_000), (2, 300_000)), ((2, 300_000), (10, 20_000))])
def test_a_profile_that_a_server_carries_overloads_it_in_neither_order(seconds_at):
    steps = tuple(RateStep(seconds * 1_000_000, rate_mrps) for seconds, rate_mrps in seconds_at)
    options = dataclasses.replace(QUICK, arrivals=(RateProfile(steps),))
    (point,) = verify(policy(P99), held_out(), options).points
    assert not point.policy.load.is_overloaded


@pytest.mark.parametrize("gaps_ms", [(25.0, 4.0), (4.0, 25.0)])
def test_a_recording_that_a_server_carries_overloads_it_in_neither_order(gaps_ms):
    rng = np.random.default_rng(5)
    gap_ms = np.concatenate([rng.exponential(mean_ms, 600) for mean_ms in gaps_ms])
    times_ns = np.rint(np.cumsum(gap_ms) * 1e6).astype(np.int64)
    recorded = RecordedArrivals(times_ns - times_ns[0], None, "`at`")
    (point,) = verify(
        policy(P99), held_out(), dataclasses.replace(QUICK, arrivals=(recorded,))
    ).points
    assert not point.policy.load.is_overloaded


def test_no_times_of_requests_outlive_the_replay_that_they_are_of(monkeypatch):
    seen, alive = [], []

    def server_use(subject, outcome, work_ns):
        seen.append(weakref.ref(outcome))
        return used(subject, outcome, work_ns)

    def load(arrivals, repeats):
        alive.append(sum(outcome() is not None for outcome in seen))
        return loaded(arrivals, repeats)

    used, loaded = comparison.server_use, comparison.load
    monkeypatch.setattr(comparison, "server_use", server_use)
    monkeypatch.setattr(comparison, "load", load)
    verify(policy(P99), held_out(), dataclasses.replace(QUICK, baselines=()))
    assert len(seen) == 8
    # a worker may still hold its last one
    assert alive[0] <= 2
