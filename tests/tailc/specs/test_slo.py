import pytest

from tailc.specs.slo import Slo, promise


@pytest.mark.parametrize(
    ("slo", "text"),
    [
        (Slo(990_000, 500_000), "p99 <= 500 ms"),
        (Slo(999_900, 1_500_000), "p99.99 <= 1.5 s"),
        (Slo(500_000, 40, window_requests=1000), "p50 <= 40 us over 1000 requests"),
        (Slo(500_000, 40_000, window_us=60_000_000), "p50 <= 40 ms over 60 s"),
        (Slo(950_000, 7_500, request_class="gold"), "p95 <= 7.5 ms for class gold"),
    ],
)
def test_an_slo_reads_as_a_promise(slo, text):
    assert str(slo) == text


def test_a_promise_without_a_window_is_the_slo_s_own_text():
    assert promise(990_000, 120_000) == str(Slo(990_000, 120_000)) == "p99 <= 120 ms"
