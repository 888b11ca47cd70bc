"""What is refused, and where; each message names the place, and a way out."""

import jsonschema
import pytest

from tailc.errors import Code, Severity, TailcError
from tailc.pipeline.spec import open_kind
from tailc.policies.elfen.lanes_spec import (
    RELEASE_CYCLES,
    RELEASE_US,
    WAKE_CYCLES,
    InterferenceByIpc,
)
from tailc.policies.elfen.spec import ElfenSpec
from tailc.specs.document import parse_document
from tailc.specs.json_schema import spec_schema
from tailc.specs.tree import plain
from tests.tailc.policies.elfen.case import SPEC, swapped, write

LANES = "lanes: {interference: 45%}"
FIXED = "policy: fixed\nbudget: by-load\n"
CORES = "cores: 1"


def refused(folder, spec: str) -> list[tuple[Code, str, str]]:
    """Code, message, and the text of the line that the finding stands at."""
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(folder, spec).spec))
    lines = spec.splitlines()
    return [
        (f.code, f.message, lines[f.place.line - 1].strip())
        for f in caught.value.findings
        if f.place is not None and f.place.line is not None
    ]


REFUSED = {
    "what holds above the rates without budgets by load": (
        swapped((FIXED, "policy: fixed\nbudget: 47ms\nabove_rates: last-budget\n")),
        Code.CONFLICT,
        "applies only to `budget: by-load`, which has a row for each rate",
    ),
    "no interference": (
        swapped((LANES, "lanes: {batch_slowdown: 10%}")),
        Code.MISSING_KEY,
        "do not define how much slower",
    ),
    "two interferences": (
        swapped((LANES, "lanes: {interference: 45%, ipc: {alone: 2, shared: 1}}")),
        Code.CONFLICT,
        "both define how much slower",
    ),
    "faster beside batch work": (
        swapped((LANES, "lanes: {ipc: {alone: 1, shared: 2}}")),
        Code.CONFLICT,
        "cannot make requests",
    ),
    "no instructions": (
        swapped((LANES, "lanes: {ipc: {alone: 1, shared: 0}}")),
        Code.BAD_VALUE,
        "must be more than zero",
    ),
    "standstill": (
        swapped((LANES, "lanes: {interference: 100%}")),
        Code.BAD_VALUE,
        "must be less than 100 %",
    ),
    "calibrated the wrong way round": (
        swapped((LANES, "lanes: {calibrate: {alone: 40/s, shared: 100/s}}")),
        Code.CONFLICT,
        "is not lower than `alone`,",
    ),
    "a budget without a unit": (
        swapped((FIXED, "policy: fixed\nbudget: 47\n")),
        Code.MISSING_UNIT,
        "47",
    ),
    "a budget by something else": (
        swapped((FIXED, "policy: fixed\nbudget: by-laod\n")),
        Code.BAD_VALUE,
        "must be a duration or `by-load`, not `by-laod`",
    ),
    "a negative budget": (
        swapped((FIXED, "policy: fixed\nbudget: -5ms\n")),
        Code.BAD_VALUE,
        "must be a duration or `by-load`, not `-5ms`",
    ),
    "a budget shorter than batch work takes to leave": (
        swapped((FIXED, "policy: fixed\nbudget: 1ms\n"), (LANES, LANES[:-1] + ", release: 5ms}")),
        Code.CONFLICT,
        "is shorter than the 5 ms that batch work needs to leave the core",
    ),
    "a budget shorter than the release that is not told": (
        swapped((FIXED, "policy: refresh\nbudget: 1us\n")),
        Code.CONFLICT,
        "is shorter than the 2 us that batch work needs to leave the core",
    ),
    "waking up for seconds": (
        swapped((LANES, LANES[:-1] + ", wake: 1s}")),
        Code.BAD_UNIT,
        "`s` in `1s` is not a unit of a duration",
    ),
    "waking up in less than no time": (
        swapped((LANES, LANES[:-1] + ", core_wake: -1us}")),
        Code.BAD_VALUE,
        "-1us",
    ),
    "waking up without a unit": (
        swapped((LANES, LANES[:-1] + ", wake: 719}")),
        Code.MISSING_UNIT,
        "719",
    ),
    "a budget for borrow-idle": (
        swapped((FIXED, "policy: borrow-idle\nbudget: 47ms\n")),
        Code.CONFLICT,
        "the policy `borrow-idle` has no",
    ),
    "a budget by load for refresh": (
        swapped((FIXED, "policy: refresh\nbudget: by-load\n")),
        Code.CONFLICT,
        "the policy `refresh` depends on which requests",
    ),
    "dynamic by time": (
        swapped((FIXED, "policy: dynamic\ncharge: time\n")),
        Code.CONFLICT,
        "the policy `dynamic` charges the slowdown of requests",
    ),
    "safe by harm on several cores": (
        swapped((FIXED, "policy: safe\ncharge: harm\n"), (CORES, "cores: 4")),
        Code.CONFLICT,
        "only on a single core",
    ),
    "a charge without a budget": (
        swapped((FIXED, "policy: optimised\ncharge: harm\n")),
        Code.CONFLICT,
        "has no budget",
    ),
    "a target above the SLO": (
        swapped(("server:", "target: 81ms\nserver:")),
        Code.CONFLICT,
        "is above the first SLO's latency, 80 ms",
    ),
    "a rate twice": (
        swapped(("rates: [20/s, 60/s]", "rates: [20/s, 20/s]")),
        Code.BAD_VALUE,
        "is a rate that the list already has",
    ),
    "no rates": (swapped(("rates: [20/s, 60/s]\n", "")), Code.MISSING_KEY, "rates"),
    "no cores": (swapped((CORES, "cores: 0")), Code.BAD_VALUE, "0"),
    "a class": (
        swapped(("latency: 80ms}", "latency: 80ms, class: long}")),
        Code.CONFLICT,
        "requests of this kind have no classes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_spec_is_refused_where_it_is_wrong(name, tmp_path):
    spec, code, message = REFUSED[name]
    found = refused(tmp_path, spec)
    assert len(found) == 1
    assert found[0][0] is code
    assert message in found[0][1]


@pytest.mark.parametrize("charge", ["charge: harm\n", ""])
def test_a_budget_charged_by_harm_may_be_shorter_than_the_release(charge, tmp_path):
    policy = "fixed" if charge else "dynamic"
    lanes = LANES[:-1] + ", release: 5ms}"
    changes = (FIXED, f"policy: {policy}\nbudget: 4ms\n{charge}"), (LANES, lanes)
    opened = open_kind(str(write(tmp_path, swapped(*changes)).spec)).spec
    assert isinstance(opened, ElfenSpec)
    assert opened.budget == 4_000
    assert opened.lanes.release_us == 5_000


def opened_with(folder, *changes: tuple[str, str]):
    return open_kind(str(write(folder, swapped(*changes)).spec))


@pytest.mark.parametrize(
    ("lanes", "policy"),
    [
        ("interference: 70%", "policy: safe\nbudget: by-load\n"),
        ("interference: 99.99%", "policy: safe\n"),
        ("interference: 50%", "policy: fixed\nbudget: 47ms\ncharge: harm\n"),
        ("interference: 30%, batch_slowdown: 75%", "policy: refresh\n"),
        ("ipc: {alone: 1.4, shared: 0.5}", "policy: dynamic\n"),
    ],
)
def test_where_sharing_a_core_never_pays_borrow_idle_takes_the_policy_s_place(
    lanes, policy, tmp_path
):
    opened = opened_with(tmp_path, (FIXED, policy), (LANES, f"lanes: {{{lanes}}}"))
    assert opened.spec.policy == "borrow-idle"
    assert (opened.spec.budget, opened.spec.charge) == (None, None)
    (finding,) = opened.warnings
    assert (finding.code, finding.severity) == (Code.SHARING_LOSES, Severity.WARNING)
    assert finding.place.excerpt == policy.splitlines()[0]


@pytest.mark.parametrize(
    ("lanes", "policy"),
    [
        ("interference: 49.9%", "policy: safe\n"),
        ("interference: 70%, batch_slowdown: 25%", "policy: safe\n"),
        ("interference: 70%", "policy: borrow-idle\n"),
        ("interference: 70%", "policy: optimised\n"),
        ("calibrate: {alone: 100/s, shared: 40/s}", "policy: safe\n"),
    ],
)
def test_a_policy_whose_sharing_may_pay_or_that_never_shares_is_as_written(lanes, policy, tmp_path):
    opened = opened_with(tmp_path, (FIXED, policy), (LANES, f"lanes: {{{lanes}}}"))
    assert policy.startswith(f"policy: {opened.spec.policy}\n")
    assert opened.warnings == ()


def test_the_schema_accepts_what_is_accepted(tmp_path):
    validator = jsonschema.Draft202012Validator(spec_schema(ElfenSpec))
    written = [
        SPEC,
        swapped((LANES, "lanes: {ipc: {alone: 1.4, shared: 0.7}, release: 0us}")),
        swapped((FIXED, "policy: safe\nbudget: 47ms\ncharge: harm\n")),
        swapped((LANES, LANES[:-1] + ", wake: 719ns, core_wake: 0.1ms}")),
    ]
    for spec in written:
        assert open_kind(str(write(tmp_path, spec).spec)).spec.kind == "elfen"
        assert list(validator.iter_errors(plain(parse_document(spec, "spec").root))) == []


def slower_ppm(folder, spec: str) -> int:
    """By the instructions per cycle of the opened spec."""
    opened = open_kind(str(write(folder, spec).spec)).spec
    assert isinstance(opened, ElfenSpec)
    assert isinstance(opened.lanes.slower, InterferenceByIpc)
    return opened.lanes.slower.ipc.interference_ppm


def test_measured_instructions_say_how_much_slower_requests_are(tmp_path):
    spec = swapped((LANES, "lanes: {ipc: {alone: 1.4, shared: 0.7}}"))
    assert slower_ppm(tmp_path, spec) == 500_000


TABLE = "batch,alone,shared\nlusearch,1.42,0.95\npmd,1.5,1.2\n"
FROM_TABLE = "lanes: {ipc_table: {file: ipc.csv, alone: alone, shared: shared%s}}"


def test_a_row_of_a_file_does_too(tmp_path):
    (tmp_path / "ipc.csv").write_text(TABLE)
    spec = swapped((LANES, FROM_TABLE % ", where: {batch: pmd}"))
    assert slower_ppm(tmp_path, spec) == 200_000


TABLES = {
    "which row": (TABLE, "", Code.CONFLICT, "must select one row of `ipc.csv`, not 2"),
    "no such row": (TABLE, ", where: {batch: fop}", Code.EMPTY_TRACE, "ipc.csv"),
    "out of order": (
        TABLE.replace("1.2", "1.6"),
        ", where: {batch: pmd}",
        Code.CONFLICT,
        "row 2 of `ipc.csv` has `1.6` instructions per cycle with batch work, but only `1.5` alone",
    ),
    "negative": (TABLE.replace("1.2", "-1.2"), "", Code.NOT_POSITIVE, "-1.2"),
}


@pytest.mark.parametrize(
    ("policy", "hint"),
    [
        ("fixed\nbudget: 47ms", "remove it, or set `budget: by-load`"),
        ("safe", "remove it, or set `budget: by-load`"),
        ("refresh\nbudget: 47ms", "remove it"),
        ("borrow-idle", "remove it"),
    ],
)
def test_a_budget_by_load_is_advised_only_where_the_policy_can_have_it(policy, hint, tmp_path):
    spec = swapped((FIXED, f"policy: {policy}\nabove_rates: last-budget\n"))
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(tmp_path, spec).spec))
    (finding,) = caught.value.findings
    assert finding.help is not None
    assert finding.help.partition(";")[0] == hint


@pytest.mark.parametrize("name", TABLES)
def test_a_file_that_does_not_tell_is_refused(name, tmp_path):
    text, where, code, message = TABLES[name]
    (tmp_path / "ipc.csv").write_text(text)
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(tmp_path, swapped((LANES, FROM_TABLE % where))).spec))
    (finding,) = caught.value.findings
    assert finding.code is code
    assert message in finding.message


def test_a_lane_takes_the_published_cycles_to_let_go_and_to_wake():
    # Yang et al., USENIX ATC 2016, figure 8, at 2.0 GHz.
    assert RELEASE_CYCLES == {"mwait": 2_443, "nanonap": 3_285, "futex": 11_518}
    assert WAKE_CYCLES == {"mwait": 1_036, "nanonap": 1_438, "futex": 3_968}
    assert RELEASE_CYCLES["futex"] / RELEASE_CYCLES["nanonap"] == pytest.approx(3.5, abs=0.05)
    # Printed as 2.72.
    assert WAKE_CYCLES["futex"] / WAKE_CYCLES["nanonap"] == pytest.approx(2.76, abs=0.005)
    assert RELEASE_US == 2
