"""What a compile says of the policy that it is about to write, and when it writes none."""

from __future__ import annotations

import json

import pytest

from tailc.pipeline import judging
from tailc.pipeline.auto.best import Best
from tailc.pipeline.auto.choice import AutoResult, doubt_remarks
from tailc.pipeline.auto.comparison import ComparedTable, UnsafeTable
from tailc.pipeline.auto.rivals import Option
from tailc.pipeline.auto.steered import left_out_remark
from tailc.report.compile_report import best_paragraphs, best_result
from tailc.specs.auto_settings import AutoChoice
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.pipeline.auto.conftest import write_service
from tests.tailc.tuning.short import brief_estimates


@pytest.fixture(scope="module", autouse=True)
def _brief():
    with brief_estimates():
        yield


def test_each_rate_is_told_beside_the_best_setting_by_hand(service, tailc, tmp_path):
    words = ("--effort", "normal", "-o", tmp_path / "out", "--output-format", "json")
    done = tailc("compile", service, *words)
    assert done.code == 0, done.err
    written = json.loads((tmp_path / "out.json").read_text())["evidence"]["estimates"]
    assert (written["sample"], written["requests"]) == ("kept-back", 300)
    (row,) = written["rows"]
    assert row["low_us"] <= row["tail_us"] <= row["high_us"] < 100_000
    assert row["standing"] == "pass"
    assert row["by_hand"]["tail_us"] > row["tail_us"]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_the_change_of_a_cost_does_not_depend_on_its_unit(unit):
    assert judging._cost_change_ppm(1.5 * unit, unit) == 500_000
    assert judging._cost_change_ppm(unit, None) is None


@pytest.mark.parametrize(
    ("change", "keeps", "loss_share", "reason"),
    [
        (0.013, (True,), 0.2, "takes 1.3% more energy"),
        (0.013, (True, False), 0.2, "the SLO is not reliably met"),
        (-0.013, (True,), 0.2, "is worse in 20% of the resamples"),
        (0.0, (True,), 0.2, "is worse in 20% of the resamples"),
        (0.0, (True,), 0.05, "is worse on the requests of the comparison than"),
        (-0.1, (True,), 0.0, "is worse on the requests of the comparison than"),
    ],
)
def test_a_controller_is_left_out_for_what_speaks_against_it(change, keeps, loss_share, reason):
    compared = ComparedTable(Option("formula", None), loss_share, 0.1, change, False, keeps)
    assert reason in left_out_remark(compared, 0.05).message


@pytest.mark.parametrize(
    ("loss_share", "where"),
    [
        (0.2, "in 20% of bootstrap resamples of the trace"),
        (0.051, "in 5% of bootstrap resamples of the trace"),
        (0.05, "on the 200 requests of the comparison"),
        (0.0, "on the 200 requests of the comparison"),
    ],
)
def test_a_table_that_is_not_safe_is_doubted_for_what_speaks_against_it(loss_share, where):
    best = Best(Option("search", None), (), loss_share, False, None, 0, 0)
    (doubt,) = doubt_remarks(AutoResult(best, AutoChoice("quick", 50_000), True, 200))
    assert doubt.message.startswith(f"{where}, some setting that a user could ")


@pytest.mark.parametrize(
    ("unsafe", "text", "member"),
    [
        (None, (), None),
        (
            UnsafeTable(0.032, 0.225),
            (
                (
                    "risk       the policy loses to a setting by hand in 2% of the resamples; a "
                    "table that is 3.2% better on these requests loses in 22%"
                ),
            ),
            {"gain_ppm": 32_000, "loss_ppm": 225_000},
        ),
    ],
)
def test_what_safety_costs_on_the_sample_is_printed(unsafe, text, member):
    best = Best(Option("search", ladder(at_once((0, 0)))), (), 0.02, True, unsafe, 0, 0)
    chosen = AutoResult(best, AutoChoice("quick", 50_000), True, 200)
    assert best_paragraphs(chosen) == text
    document = json.dumps(best_result(chosen))
    assert json.loads(document)["best"].get("forgone") == member


def test_an_slo_that_is_missed_is_not_written(tmp_path, tailc):
    spec = write_service(tmp_path, slo=("latency: 100ms", "latency: 1ms"))
    done = tailc("compile", spec, "-o", tmp_path / "out")
    assert done.code == 6
    assert "`p90 <= 1 ms` is missed: at 180/s that percentile is" in done.err
    assert "--allow-misses" in done.err
    assert not (tmp_path / "out.tailc").exists()


def test_a_missed_slo_is_written_where_that_is_allowed(tmp_path, tailc):
    """By any method."""
    missed = ("latency: 100ms", "latency: 1ms")
    spec = write_service(tmp_path, slo=missed, effort=("effort: quick", "method: grid"))
    done = tailc("compile", spec, "-o", tmp_path / "out", "--allow-misses")
    assert done.code == 0
    assert "warning[TC0554]: `p90 <= 1 ms` is missed" in done.err
    assert "`--allow-misses` writes" not in done.err
    assert (tmp_path / "out.tailc").exists()


def test_a_spec_may_allow_it_itself(tmp_path, tailc):
    spec = write_service(tmp_path, slo=("latency: 100ms", "latency: 1ms"))
    spec.write_text(f"{spec.read_text()}allow_misses: true\n")
    done = tailc("compile", spec, "--method", "grid", "-o", tmp_path / "out")
    assert done.code == 0
    assert "warning[TC0554]: `p90 <= 1 ms` is missed" in done.err


def test_an_overloaded_rate_is_told_with_one_that_holds(tmp_path, tailc):
    spec = write_service(
        tmp_path, rates=("180/s", "400/s"), effort=("effort: quick", "method: grid")
    )
    done = tailc("compile", spec, "-o", tmp_path / "out")
    assert done.code == 6
    assert "at 400/s the server is overloaded" in done.err
    # The policy itself holds at 270/s, and one thread for each request at 280/s.
    assert "lower `rates` to at most 280/s" in done.err


def test_an_undecided_slo_is_a_warning_and_with_strict_an_exit_code(tmp_path, tailc):
    """Of 20 requests an upper limit of the 90th percentile is not to be had."""
    spec = write_service(tmp_path, rows=20, effort=("effort: quick", "method: grid"))
    told = tailc("compile", spec, "-o", tmp_path / "out", "--force")
    assert told.code == 0
    assert "is undecided at 180/s" in told.err
    assert " more requests would decide" in told.err
    assert tailc("compile", spec, "-o", tmp_path / "out", "--force", "--strict").code == 4
