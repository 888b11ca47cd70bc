"""Specs of greenpar: what is refused, where, and what is only odd."""

from __future__ import annotations

import pytest

from tailc.errors import Code, Severity, TailcError
from tailc.pipeline.spec import open_kind
from tailc.policies.greenpar.spec import GreenParSpec
from tests.tailc.policies.greenpar.case import SPEC


def opened(folder, text=SPEC):
    path = folder / "service.yaml"
    path.write_text(text)
    return open_kind(str(path))


def spec_of(folder, text=SPEC) -> GreenParSpec:
    spec = opened(folder, text).spec
    assert isinstance(spec, GreenParSpec)
    return spec


def changed(old: str, new: str) -> str:
    assert old in SPEC
    return SPEC.replace(old, new)


def at(line: str, text: str) -> int:
    """The line, from 1, that begins so."""
    return 1 + next(n for n, one in enumerate(text.splitlines()) if one.strip().startswith(line))


def test_what_is_not_said_is_as_published(tmp_path):
    spec = spec_of(tmp_path)
    assert spec.slowdown_ppm == 1_100_000
    assert spec.vms_per_server == (2, 4)
    assert spec.cluster.counts == (1, 2, 4, 8, 16, 32)
    assert (spec.run_time.beta, spec.run_time.reference_mw) == (8, 300_000)
    assert (spec.search.method, spec.search.gap_ppm) == ("auto", 5_000)


def test_a_day_is_planned_if_nothing_is_said(tmp_path):
    spec = spec_of(tmp_path, changed("length: 12h, ", ""))
    assert spec.horizon.length_s == 24 * 3_600


CLUSTER = "cluster: {servers: 10, busy: 30W, asleep: 1W, change: 600J}"
APPLICATIONS = "applications: {FT: 2, IS: 1}"


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "says"),
    [
        (
            "asleep: 1W",
            "asleep: 31W",
            Code.CONFLICT,
            "cluster",
            ("more than the power of a busy server"),
        ),
        ("servers: 10, busy", "servers: 0, busy", Code.BAD_VALUE, "cluster", "servers"),
        (
            "servers: 10, busy: 30W",
            "servers: 10, counts: [1, 16], busy: 30W",
            Code.CONFLICT,
            "cluster",
            "more than the 10 servers",
        ),
        (
            APPLICATIONS,
            "applications: {FT: 2, render: 1}",
            Code.MISSING_KEY,
            "applications",
            "has no speed-up",
        ),
        (f"  {APPLICATIONS}\n", "", Code.MISSING_KEY, "jobs", "the applications"),
        ("horizon:", "slowdown: 0.9\nhorizon:", Code.BAD_VALUE, "slowdown", "must be at least 1"),
        (
            "horizon:",
            "slowdown: 1.0005\nhorizon:",
            Code.BAD_VALUE,
            "slowdown",
            "at most three decimals",
        ),
        (
            "horizon:",
            "vms_per_server: [2, 8]\nhorizon:",
            Code.CONFLICT,
            "vms_per",
            "a server",
        ),
        (
            "horizon:",
            "run_time: {beta: 8, cost: 29c/h}\nhorizon:",
            Code.CONFLICT,
            "run_time",
            "with `cost`",
        ),
        (
            "horizon:",
            "search: {solver: scip}\nhorizon:",
            Code.CONFLICT,
            "search",
            "gives no shadow prices,",
        ),
        (
            "horizon:",
            "speedup: {FT: FTT}\nhorizon:",
            Code.BAD_VALUE,
            "speedup",
            ("is not a shape of a speed-up"),
        ),
        ("horizon:", "speedup: {FT: {1: 0}}\nhorizon:", Code.BAD_VALUE, "speedup", "0.001"),
        (
            "horizon:",
            "speedup: {FT: {one: 1}}\nhorizon:",
            Code.BAD_VALUE,
            "speedup",
            "not a number",
        ),
        ("horizon:", "speedup: {FT: {2: {0: 1}}}\nhorizon:", Code.BAD_VALUE, "speedup", "number"),
        ("horizon:", "speedup: {FT: {}}\nhorizon:", Code.BAD_VALUE, "speedup", "a table"),
        ("horizon:", "deferral: 1\nhorizon:", Code.MISSING_UNIT, "deferral", "no unit"),
    ],
)
def test_a_bad_spec_is_refused_where_it_is_bad(tmp_path, old, new, code, line, says):
    text = changed(old, new)
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, text)
    (finding,) = caught.value.findings
    assert finding.code is code
    assert says in finding.message
    assert finding.help
    assert finding.place is not None
    assert finding.place.line == at(line, text)


@pytest.mark.parametrize(
    ("table", "code", "says"),
    [
        ("{1: 1, 2: 1.9, 4: 1.8}", Code.SPEEDUP_FALLS, "`FT` falls from 1.9 on 2 to 1.8 on 4"),
        ("{1: 1.2}", Code.SPEEDUP_EXCEEDS, "`FT` has 1.2 on 1"),
        ("{1: 1, 2: 1.5, 4: 3.2}", Code.SPEEDUP_SUPERLINEAR, "from 1.5 on 2 to 3.2 on 4"),
    ],
)
def test_an_odd_table_is_told_where_it_stands(tmp_path, table, code, says):
    text = changed("horizon:", f"speedup: {{FT: {{4: {table}}}}}\nhorizon:")
    (warning,) = opened(tmp_path, text).warnings
    assert warning.code is code
    assert says in warning.message
    assert warning.place is not None
    assert warning.place.line == at("speedup", text)


def test_a_speed_up_that_no_job_has_is_told_with_what_was_meant(tmp_path):
    text = changed("horizon:", "speedup: {FTT: FT, FT: FT}\nhorizon:")
    (warning,) = opened(tmp_path, text).warnings
    assert (warning.code, warning.severity) == (Code.UNUSED_SPEEDUP, Severity.WARNING)
    assert "`FTT`" in warning.message
    assert "did you mean `FT`" in warning.help
    assert warning.place.line == at("speedup", text)


def test_one_speed_up_is_that_of_all_jobs(tmp_path):
    text = changed(f"  {APPLICATIONS}\n", "") + "speedup: {render: FT}\n"
    assert spec_of(tmp_path, text).demand.jobs.applications == {"render": 1}


def test_another_solver_is_that_of_one_program(tmp_path):
    spec = spec_of(tmp_path)
    assert spec.with_search({"solver": "scip"}).search.method == "mip"
    assert spec.with_search({"method": "mip"}).search.solver == "highs"
    scip = spec_of(tmp_path, SPEC + "search: {method: mip, solver: scip}\n")
    assert scip.with_search({"method": "columns"}).search.solver == "highs"


@pytest.mark.parametrize(
    "overrides",
    [{"solver": "scip", "method": "columns"}, {"objective": "tail"}, {"method": "dual"}],
)
def test_what_a_plan_does_not_have_cannot_be_overridden(tmp_path, overrides):
    with pytest.raises(TailcError) as caught:
        spec_of(tmp_path).with_search(overrides)
    assert caught.value.findings[0].code is Code.USAGE


@pytest.mark.parametrize(("written", "hint"), [("15", "write `15min`"), ("soon", "`15min`")])
def test_a_time_of_epochs_is_explained_by_one_of_their_length(tmp_path, written, hint):
    with pytest.raises(TailcError) as caught:
        opened(tmp_path, changed("horizon:", f"deferral: {written}\nhorizon:"))
    (finding,) = caught.value.findings
    assert hint in finding.help
    assert "ms`" not in finding.help.partition("units:")[0]


def test_a_wait_longer_than_the_horizon_is_told(tmp_path):
    text = changed("horizon:", "deferral: 13h\nhorizon:")
    (warning,) = opened(tmp_path, text).warnings
    assert warning.code is Code.ODD_DEFERRAL
    assert warning.place.line == at("deferral", text)
