"""Plans compiled from specs: judged on the days after them, simulated, and not split."""

from __future__ import annotations

import json
import re

import pytest

from tailc.traces.zones import instant, utc_text
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.cli.verify_plan_case import VERDICT
from tests.tailc.policies.cases import Case, write_case
from tests.tailc.policies.compiled import Compiled, compiled_kind
from tests.tailc.schemas import validate

# Of each kind the days of jobs and sun after its plan.
KINDS = {"green-sla": 8, "greenpar": 5}
DAY_S = 86_400


@pytest.fixture(scope="module", params=KINDS)
def compiled(request, tmp_path_factory) -> Compiled:
    return compiled_kind(tmp_path_factory, request.param)


@pytest.fixture
def case(compiled) -> tuple[str, Case]:
    return compiled.policy.kind, compiled.case


@pytest.fixture
def plan(compiled):
    """Where the artifact lies."""
    return compiled.stem


def told(ended):
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], VERDICT)
    return document["result"]


def start_of(plan) -> int:
    return json.loads(plan.with_suffix(".json").read_text())["forms"][0]["start_unix_s"]


def test_held_out_are_the_days_after_the_plan_in_its_own_spec(case, plan, tailc):
    kind, written = case
    found = told(tailc("verify", plan, "--trace", written.spec, "--output-format", "json"))
    held_out = found["held_out"]
    assert (held_out["windows"], held_out["design_windows"]) == (KINDS[kind], 0)
    # The next day at the same time, also after a plan of half a day.
    assert held_out["from_unix_s"] == start_of(plan) + DAY_S
    length_s = held_out["epochs"] * held_out["epoch_s"]
    last_s = start_of(plan) + KINDS[kind] * DAY_S
    assert held_out["until_unix_s"] == last_s + length_s


def test_simulate_tells_what_verify_tells_and_exits_0(case, plan, tailc):
    spec = case[1].spec
    verified = tailc("verify", plan, "--trace", spec, "--output-format", "json")
    simulated = tailc("simulate", spec, "--no-progress", "--output-format", "json")
    assert simulated.code == 0
    assert told(simulated) == told(verified)
    few = told(tailc("simulate", spec, "--windows", "2", "--output-format", "json"))
    assert few["held_out"]["windows"] == 2
    assert few["verdict"] == "undecided"


def test_a_plan_is_not_split(case, tailc, in_folder):
    ended = tailc("split", case[1].spec, "-o", in_folder / "part")
    assert ended.code == 64
    assert "the days after its horizon are held out" in ended.err
    assert "help: verify the plan with `tailc verify" in ended.err
    assert list(in_folder.iterdir()) == []


def test_a_plan_beside_itself_changes_nothing_on_the_days_after_it(case, plan, tailc):
    words = ("--trace", case[1].spec, "--exit-code", "--output-format", "json")
    ended = tailc("diff", plan, plan, *words)
    assert ended.code == 0
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    change = document["result"]["days"]["change"]
    assert {mean["value"] for mean in change.values()} == {0}


def test_a_spec_without_days_after_its_plan_has_no_window(case, plan, tailc, tmp_path):
    _, written = case
    folder, end = written.spec.parent, utc_text(start_of(plan) + DAY_S)
    (tmp_path / "jobs.csv").write_text((folder / "jobs.csv").read_text())
    head, *sun = (folder / "roof.csv").read_text().splitlines()
    (tmp_path / "roof.csv").write_text("\n".join([head, *(x for x in sun if x < end)]) + "\n")
    (tmp_path / "spec.yaml").write_text(written.spec.read_text())
    ended = tailc("verify", plan, "--trace", tmp_path / "spec.yaml")
    assert ended.code == 65, ended.out
    assert "error[TC0246]: there is no window of" in ended.err
    assert "after the plan that begins at" in ended.err
    assert "spec.yaml:" in ended.err


def test_jobs_of_the_wrong_sort_are_refused(plan, case, tailc, tmp_path):
    """A document of rigid jobs is not one of malleable ones; the reverse reads all it needs."""
    kind, _ = case
    (other,) = set(KINDS) - {kind}
    days = write_case(other, tmp_path).spec
    ended = tailc("verify", plan, "--trace", days, "--allow-compile-trace")
    if kind == "green-sla":
        assert ended.code in (0, 1, 4)
    else:
        assert ended.code == 65
        assert "error[TC0103]: the spec describes rigid jobs," in ended.err


def test_jobs_that_prices_were_made_from_are_known_under_another_sun(case, plan, tailc, tmp_path):
    """Days before the plan, whose energy is not the compile's by one digit of one value."""
    _, written = case
    for name in ("jobs.csv", "roof.csv"):
        (tmp_path / name).write_text((written.spec.parent / name).read_text())
    head, first, *rest = (tmp_path / "roof.csv").read_text().splitlines()
    (tmp_path / "roof.csv").write_text("\n".join([head, first + "1", *rest]) + "\n")
    days, text = tmp_path / "days.yaml", written.design.read_text()
    # Of a spec the first window is left out: its own plan's.
    days_before = 1 if "kind: days" in text else 2
    start_s = start_of(plan) - days_before * DAY_S
    lead_h = (start_s - start_of_log(text)) // 3_600
    text = re.sub(r"at_start: \S+", f"at_start: {lead_h}h", text)
    days.write_text(re.sub(r'start: "[^"]+"', f'start: "{utc_text(start_s)}"', text))
    ended = tailc("verify", plan, "--trace", days)
    assert ended.code == 65, ended.out
    assert "error[TC0601]" in ended.err
    words = ("--trace", days, "--allow-compile-trace", "--output-format", "json")
    # The day before is the plan's teacher, and the next is its own.
    assert told(tailc("verify", plan, *words))["held_out"]["design_windows"] == 2


def start_of_log(document: str) -> int:
    """When second 0 of the log is, as a document lays it over the sun."""
    (start,) = re.findall(r'start: "([^"]+)"', document)
    (hours,) = re.findall(r"at_start: (\d+)h", document)
    return instant(start) - int(hours) * 3_600
