"""Specs of green-sla that are refused, each at what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tailc.cli import run
from tailc.errors import Code, ExitCode, Finding, Severity, TailcError
from tailc.pipeline.spec import open_kind
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.specs.load import open_spec

SPEC = """\
apiVersion: tailc/v1
kind: green-sla
name: campus
jobs: {trace: jobs.swf}
supply:
  green: [{trace: roof.csv, column: w, unit: W}]
  price: 10.55c/kWh
horizon: {start: "2020-06-02T00:00Z", length: 24h}
datacentre: {racks: 2, servers: 4, busy: 140W, asleep: 7W}
terms: {green: 29c/h, brown: 24c/h, penalty: 50c/h}
search: {method: arrival}
"""


def opened(folder: Path, text: str) -> GreenSlaSpec:
    path = folder / "campus.yaml"
    path.write_text(text)
    model = open_spec(str(path), {"green-sla": GreenSlaSpec}).model
    assert isinstance(model, GreenSlaSpec)
    return model


def warnings_of(folder: Path, more: str) -> tuple[Finding, ...]:
    path = folder / "campus.yaml"
    path.write_text(SPEC + more)
    return open_kind(str(path)).warnings


def refused(folder: Path, old: str, new: str) -> Finding:
    assert old in SPEC
    with pytest.raises(TailcError) as caught:
        opened(folder, SPEC.replace(old, new))
    (finding,) = caught.value.findings
    assert finding.help
    return finding


def test_what_is_not_said_is_as_documented(tmp_path):
    spec = opened(tmp_path, SPEC)
    assert (spec.search.method, spec.search.steps, spec.search.solver) == ("arrival", 200, "highs")
    assert (spec.violations_ppm, spec.epsilon_udollars, spec.may_wait) == (50_000, 10, 0)
    assert spec.datacentre.migration_mj == 0
    assert (spec.slos, spec.rates_mrps) == ((), ())


WRONG = {
    "green below brown": ("green: 29c/h", "green: 23c/h", Code.CONFLICT, 10, 16),
    "sleep like work": ("asleep: 7W", "asleep: 140W", Code.CONFLICT, 9, 56),
    "no unit": ("penalty: 50c/h", "penalty: 50", Code.MISSING_UNIT, 10, 46),
    "a fee of power": ("penalty: 50c/h", "penalty: 50W", Code.BAD_UNIT, 10, 46),
    "too many servers": ("racks: 2", "racks: 1000000", Code.BAD_VALUE, 9, 21),
    "no rack": ("racks: 2", "racks: 0", Code.BAD_VALUE, 9, 21),
    "steps of no annealing": ("method: arrival", "steps: 3", Code.CONFLICT, 11, 17),
    "another's method": ("method: arrival", "method: columns", Code.BAD_VALUE, 11, 18),
    "dear beyond a plan": ("penalty: 50c/h", "penalty: 5000USD/h", Code.BAD_VALUE, 10, 46),
    "not whole epochs": ("length: 24h", "length: 50min", Code.CONFLICT, 8, 47),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_spec_is_refused_where_it_is_wrong(wrong, tmp_path):
    old, new, code, line, column = WRONG[wrong]
    finding = refused(tmp_path, old, new)
    assert finding.code is code
    assert finding.place is not None
    assert (finding.place.line, finding.place.column) == (line, column)


def test_all_servers_in_all_epochs_may_not_be_worth_more_than_a_plan_states(tmp_path):
    larger = SPEC.replace("servers: 4", "servers: 262144").replace(
        "penalty: 50c/h", "penalty: 1000USD/h"
    )
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, larger)
    assert "2^53" in caught.value.findings[0].message


@pytest.mark.parametrize(
    ("deferral", "says"),
    [("14min", "shorter than an epoch"), ("25h", "longer than the horizon")],
)
def test_a_wait_that_no_job_can_have_is_told(tmp_path, deferral, says):
    (warning,) = warnings_of(tmp_path, f"deferral: {deferral}\n")
    assert (warning.code, warning.severity) == (Code.ODD_DEFERRAL, Severity.WARNING)
    assert says in warning.message
    assert (warning.place.line, warning.place.column) == (12, 11)


@pytest.mark.parametrize("deferral", ["15min", "24h"])
def test_a_wait_of_an_epoch_to_the_horizon_is_none_to_tell(tmp_path, deferral):
    assert warnings_of(tmp_path, f"deferral: {deferral}\n") == ()


def test_methods_and_solvers_of_the_command_line_replace_those_of_the_spec(tmp_path):
    spec = opened(tmp_path, SPEC)
    assert spec.with_search({"method": "mip", "solver": "scip"}).search.solver == "scip"
    for given in ({"method": "grid"}, {"objective": "tail"}, {"max_evaluations": 3}):
        with pytest.raises(TailcError) as caught:
            spec.with_search(given)
        assert caught.value.exit_code is ExitCode.USAGE


def test_another_solver_is_that_of_one_program(tmp_path):
    spec = opened(tmp_path, SPEC)
    assert spec.with_search({"solver": "gurobi"}).search.method == "mip"
    assert spec.with_search({"solver": "gurobi", "method": "anneal"}).search.method == "anneal"


def test_the_command_line_says_where_a_spec_is_wrong(tmp_path, capsys):
    path = tmp_path / "campus.yaml"
    path.write_text(SPEC.replace("green: 29c/h", "green: 20c/h"))
    assert run(["check", str(path)]) == ExitCode.BAD_CONTENT
    assert "campus.yaml:10:16" in capsys.readouterr().err
