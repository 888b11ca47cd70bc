"""Two policies compared on requests, from the outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.artifact.envelope import Policy
from tailc.diff.compare import diff
from tailc.errors import Code, ExitCode, TailcError
from tailc.forms.ladder.table import AT_ONCE, Climb, CostUnit, Row, Rung
from tailc.models.arrivals import Poisson
from tailc.specs.slo import Slo
from tests.tailc.diff.servers import LATER, OLD, QUICK, one_climb, with_form
from tests.tailc.verify.policies import held_out, policy


def refused(old, new, requests, options=QUICK):
    with pytest.raises(TailcError) as caught:
        diff(old, new, requests, options)
    return [finding.code for finding in caught.value.findings]


def test_without_requests_nothing_is_replayed():
    assert diff(OLD, LATER).behaviour is None


def test_policies_that_do_the_same_are_not_replayed():
    found = diff(OLD, replace(OLD, generation=9), held_out(), QUICK)
    assert found.behaviour is None
    assert found.exit_code is ExitCode.OK


def test_a_difference_is_replayed_at_the_rates_of_the_new_policy():
    found = diff(OLD, replace(LATER, rates_mrps=(50_000, 80_000)), held_out(), QUICK)
    assert found.behaviour is not None
    assert [point.rate_mrps for point in found.behaviour.points] == [50_000, 80_000]
    assert found.exit_code is ExitCode.DIFFERS


def test_the_result_depends_on_the_seed_and_on_nothing_else():
    first, again = (diff(OLD, LATER, held_out(), QUICK) for _ in range(2))
    more_threads = diff(OLD, LATER, held_out(), replace(QUICK, threads=2))
    assert first == again == more_threads
    assert first != diff(OLD, LATER, held_out(), replace(QUICK, seed=2))


def test_percentiles_of_either_policy_s_promises_are_told():
    new = policy(Slo(999_000, 1_000), form=one_climb(60))
    behaviour = diff(OLD, new, held_out(), QUICK).behaviour
    assert behaviour is not None
    names = [quantity.name for quantity in behaviour.points[0].quantities]
    assert names == ["p50", "p99", "p99.9", "mean latency", "threads", "utilization"]


def test_policies_on_other_rungs_are_replayed_and_not_asked():
    new = with_form(replace(one_climb(60), quantum_us=1_000))
    behaviour = diff(OLD, new, held_out(), QUICK).behaviour
    assert behaviour is not None
    assert "quanta" in behaviour.decisions.unknown
    assert behaviour.points


def on_one_core_at(speed_ppm: int) -> Policy:
    """Every request on a core of a type of its own, which are 32."""
    form = replace(
        one_climb(20),
        cost_units=(CostUnit("big cores", 32_000_000),),
        rungs=(Rung("little", 1_000_000, (1_000_000,)), Rung("big", speed_ppm, (1_000_000,))),
        rows=(Row(0, None, AT_ONCE, (Climb(0, 1),)),),
    )
    return with_form(form, rates_mrps=(10_000,))


def test_each_policy_is_replayed_at_the_speeds_of_its_own_rungs():
    slow, fast = on_one_core_at(1_000_000), on_one_core_at(4_000_000)
    # a trace of one degree is enough where no rung is a number of threads
    behaviour = diff(slow, fast, held_out(degrees=1), QUICK).behaviour
    assert behaviour is not None
    (mean,) = (q for q in behaviour.points[0].quantities if q.name == "mean latency")
    # on 32 cores nobody waits at 10/s: 20 ms of work take 20 ms, and 5 ms
    assert mean.change.old == pytest.approx(20_000, rel=0.05)
    assert mean.change.new == pytest.approx(mean.change.old / 4, abs=1)


def test_an_overloaded_server_is_said_to_be():
    options = replace(QUICK, arrivals=(Poisson(1_000_000),))
    behaviour = diff(OLD, LATER, held_out(), options).behaviour
    assert behaviour is not None
    (point,) = behaviour.points
    assert point.old_is_overloaded
    assert point.new_is_overloaded


def test_without_a_rate_there_is_nothing_to_replay():
    none = with_form(one_climb(20), rates_mrps=())
    assert refused(none, replace(LATER, rates_mrps=()), held_out()) == [Code.USAGE]


def test_requests_without_the_degrees_of_either_are_refused():
    assert refused(OLD, LATER, held_out(degrees=1)) == [Code.BAD_TIMINGS]


def test_the_compile_trace_of_either_is_refused():
    requests = held_out()
    compiled = policy(*OLD.slos, form=one_climb(20), compiled_from=requests)
    assert refused(compiled, LATER, requests) == [Code.COMPILE_TRACE]
    assert refused(LATER, compiled, requests) == [Code.COMPILE_TRACE]
    allowed = replace(QUICK, allow_compile_trace=True)
    assert diff(compiled, LATER, requests, allowed).behaviour is not None
