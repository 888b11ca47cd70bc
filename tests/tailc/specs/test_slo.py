import itertools
from typing import get_args

import pytest

from tailc.policies.llm_batching.spec import TokenSloSpec
from tailc.specs.slo import EndToEnd, Metric, Slo, promise
from tailc.specs.slo_spec import SloSpec
from tests.tailc.specs.metrics import later_metric
from tests.tailc.specs.writing import checked, findings_of, swapped


@pytest.mark.parametrize(
    ("slo", "text"),
    [
        (Slo(990_000, 500_000), "p99 <= 500 ms"),
        (Slo(999_900, 1_500_000), "p99.99 <= 1.5 s"),
        (Slo(500_000, 40, window_requests=1000), "p50 <= 40 us over 1000 requests"),
        (Slo(500_000, 40_000, window_us=60_000_000), "p50 <= 40 ms over 60 s"),
        (Slo(950_000, 7_500, request_class="gold"), "p95 <= 7.5 ms for class gold"),
        (Slo(990_000, 500_000, metric=Metric.LATENCY), "p99 <= 500 ms"),
        (Slo(990_000, 200_000, metric=later_metric()), "time-to-first-token p99 <= 200 ms"),
    ],
)
def test_an_slo_reads_as_a_promise(slo, text):
    assert str(slo) == text


def test_a_promise_without_a_window_is_the_slo_s_own_text():
    assert promise(990_000, 120_000) == str(Slo(990_000, 120_000)) == "p99 <= 120 ms"


def test_an_objective_is_one_of_latency_unless_it_says_otherwise():
    said = swapped(("{percentile: 99%", "{metric: latency, percentile: 99%"))
    assert checked(swapped()).slos == checked(said).slos == (Slo(990_000, 500_000),)
    assert checked(said).slos[0].metric is Metric.LATENCY


def test_specs_may_name_every_metric_there_is():
    words = [get_args(each.model_fields["metric"].annotation) for each in (SloSpec, TokenSloSpec)]
    assert [*itertools.chain(*words)] == [metric.value for metric in Metric]


def fanned_out(percentile: str, servers: object) -> str:
    """The good spec with an end-to-end objective."""
    objective = f"{{percentile: {percentile}, latency: 100ms, fan_out: {servers}}}"
    return swapped(("{percentile: 99%, latency: 500ms}", objective))


def test_an_end_to_end_percentile_becomes_that_of_each_server():
    # 0.9^(1/10) = 0.989519...: Haque et al., ASPLOS 2015, section 7, "around 0.99".
    spec = checked(fanned_out("90%", 10))
    assert spec.slos == (Slo(989_520, 100_000),)
    assert spec.end_to_ends == (EndToEnd(900_000, 10),)


def test_one_server_is_its_own_end():
    spec = checked(fanned_out("90%", 1))
    assert (spec.slos, spec.end_to_ends) == ((Slo(900_000, 100_000),), (None,))


def test_what_users_are_promised_names_the_servers():
    assert str(EndToEnd(999_000, 40)) == "p99.9 end to end of 40 servers"


def test_servers_that_would_need_all_their_requests_in_time_are_refused_with_how_many_may_be():
    (finding,) = findings_of(fanned_out("99.9%", 2_000))
    assert finding.place is not None
    assert finding.place.line == 5
    # (1 - 10^-6)^1000 is just above 99.9 %, and ^1001 just below.
    assert finding.help is not None
    assert "at most 1,000" in finding.help
    assert "99.9999 %" in finding.message


@pytest.mark.parametrize("servers", ["0", "20000", "2.5", "many"])
def test_a_fan_out_is_a_whole_number_of_servers(servers):
    (finding,) = findings_of(fanned_out("90%", servers))
    assert "fan_out" in finding.message
