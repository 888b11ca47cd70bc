"""Plans made again from their state: what jobs have received, done and paid stays so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.machines import machines_of
from tailc.artifact.state_flat import encode_state
from tailc.artifact.state_json import read_state, state_text
from tailc.cli import run
from tailc.cli.state_files import read_state_file
from tailc.errors import Code, ExitCode, TailcError
from tailc.forms.plan.state import CarriedOutPlan, Events, PlanState
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.replan import NewInputs, replan
from tailc.pipeline.spec import open_kind
from tests.tailc.artifact.published import plan_policy

SLA = """\
apiVersion: tailc/v1
kind: green-sla
name: again
jobs:
  trace: jobs.csv
  columns: {{number: id, submit: submit, run: run, width: width}}
  at_start: {at}h
  green: {{share: {share}%}}
supply: {{green: [{{trace: sun.csv, column: kw, unit: kW}}], price: 10.55c/kWh}}
horizon: {{start: "2026-06-02T{hour:02}:00Z", length: 12h, epoch: 1h, learn_from: 1}}
datacentre: {{racks: 2, servers: 4, busy: 140W}}
terms: {{green: 29c/h, brown: 24c/h, penalty: 50c/h}}
"""
PAR = """\
apiVersion: tailc/v1
kind: greenpar
name: again
jobs:
  trace: jobs.csv
  columns: {{number: id, submit: submit, run: run, width: width}}
  at_start: {at}h
supply: {{green: [{{trace: sun.csv, column: kw, unit: kW}}], price: 10.55c/kWh}}
horizon: {{start: "2026-06-02T{hour:02}:00Z", length: 6h, epoch: 30min, learn_from: 1}}
cluster: {{servers: 8, busy: 30W}}
speedup: {{app: {{1: 1, 2: 2, 4: 4, 8: 8}}}}
"""
HOUR_S = 3_600
DAY_H = 24


def write(folder, text, hour, jobs, sunny, **more):
    """A spec that starts at an hour of the second day, with sun of 1.2 kW or 240 W by day."""
    rows = ["id,submit,run,width", *(",".join(map(str, job)) for job in jobs)]
    (folder / "jobs.csv").write_text("\n".join(rows) + "\n")
    power = [f"2026-06-{day:02}T{h:02}:00Z,{sunny(h)}" for day in range(1, 5) for h in range(24)]
    (folder / "sun.csv").write_text("\n".join(["time,kw", *power]) + "\n")
    path = folder / "spec.yaml"
    path.write_text(text.format(at=DAY_H + hour, hour=hour, **more))
    return str(path)


def morning(hour):
    return 1.2 if 6 <= hour < 12 else 0


def night(hour):
    return 0.24 if hour < 2 else 0


def state_at(policy, epochs, before=None, **events):
    carried_out = CarriedOutPlan(policy.plan, before, machines_of(policy))
    return carried_out.state_after(epochs, Events(**events))


def again(path, policy, state, **inputs):
    return replan(open_kind(path), policy, state, NewInputs(**inputs)).policy


def jobs_of(policy):
    assert policy.plan is not None
    return policy.plan.jobs


def jobs_again(path, policy, state):
    return jobs_of(again(path, policy, state))


@pytest.mark.parametrize(
    ("starts", "cut", "owed"),
    [
        # It has all its 24 slots by noon.
        (6, 6, 0),
        (6, 3, 12),
        # It began in the dark: none of its 24 slots at six.
        (0, 6, 24),
        (0, 9, 12),
    ],
)
def test_green_slots_that_a_job_has_received_are_not_promised_again(tmp_path, starts, cut, owed):
    submit = (DAY_H + starts) * HOUR_S
    path = write(tmp_path, SLA, starts, [(1, submit, 12 * HOUR_S, 4)], morning, share=50)
    policy = compile_policy(path).policy
    state = state_at(policy, cut)
    (job,) = jobs_again(path, policy, state)
    assert job.green_slots == owed
    assert job.slots == (12 - cut) * 4
    assert again(path, policy, state).generation == 2


def test_measured_green_slots_replace_the_planned_ones(tmp_path):
    path = write(tmp_path, SLA, 6, [(1, 30 * HOUR_S, 12 * HOUR_S, 4)], morning, share=50)
    policy = compile_policy(path).policy
    state = state_at(policy, 3, green_slots={"job-1": 9})
    assert state.running[0].green_slots == 9
    assert jobs_again(path, policy, state)[0].green_slots == 15


def test_a_refused_job_stays_refused_and_an_ended_one_ended(tmp_path):
    jobs = [(1, 36 * HOUR_S, 8 * HOUR_S, 4), (2, 36 * HOUR_S + 1_800, 8 * HOUR_S, 4)]
    path = write(tmp_path, SLA, 12, jobs, morning, share=0)
    policy = compile_policy(path).policy
    names = [job.name for job in jobs_again(path, policy, state_at(policy, 1))]
    assert names == ["job-1", "job-2"]
    refused = state_at(policy, 1, refused=["job-2"])
    (job,) = jobs_again(path, policy, refused)
    assert job.name == "job-1"
    once_more = state_at(again(path, policy, refused), 2, refused)
    assert once_more.refused == ("job-2",)
    ended = state_at(policy, 1, ended=["job-1"], refused=["job-2"])
    assert jobs_again(path, policy, ended) == ()


def test_work_that_a_malleable_job_has_done_is_not_planned_again(tmp_path):
    """Eight server-hours from midnight on; six of them are left at one."""
    path = write(tmp_path, PAR, 1, [(1, 24 * HOUR_S, 4 * HOUR_S, 2)], night)
    policy = compile_policy(path).policy
    (whole,) = jobs_of(policy)
    assert whole.slots * 1_800 == 6 * HOUR_S
    state = state_at(policy, 1)
    (run_,) = state.running
    done_s = sum(count * seconds for count, seconds in run_.ran_s)
    assert done_s == len(run_.servers) * 1_800
    (job,) = jobs_again(path, policy, state)
    assert job.slots * 1_800 == 6 * HOUR_S - done_s
    assert state_at(policy, 12).running == ()


def test_a_state_is_read_as_it_was_written(tmp_path):
    path = write(tmp_path, SLA, 6, [(1, 30 * HOUR_S, 12 * HOUR_S, 4)], morning, share=50)
    state = state_at(compile_policy(path).policy, 6, refused=["job-9"])
    assert read_state("s.json", state_text(state).encode()) == state
    assert state.asleep == (4, 5, 6, 7)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"version": 1', '"version": 2', "`version` 1"),
        ('"servers": 8', '"servers": "8"', "`servers` must be a whole number"),
        ('"servers": 8', '"servers": 2', "is not among `servers`"),
        ('"servers": 8', '"servers": 2000000000', "`servers` must be 1 to 1,048,576"),
        ('"at_unix_s": ', '"at_unix_s": 1000', "`at_unix_s` must be before the year 10000"),
        ('"green_slots": 24', '"green_slot": 24', "unknown key, `green_slot`"),
        ('"seconds": 21600', '"seconds": 0', "at least one server and one second"),
        ("[\n  4,", "[\n  3,", "`asleep` must have"),
        ("{\n", "", "is not a state of a plan"),
    ],
)
def test_a_wrong_state_is_refused_with_the_reason(tmp_path, old, new, says):
    path = write(tmp_path, SLA, 6, [(1, 30 * HOUR_S, 12 * HOUR_S, 4)], morning, share=50)
    text = state_text(state_at(compile_policy(path).policy, 6))
    assert old in text
    with pytest.raises(TailcError) as caught:
        read_state("s.json", text.replace(old, new, 1).encode())
    (finding,) = caught.value.findings
    assert finding.code is Code.BAD_STATE
    assert says in finding.message


def test_a_state_of_another_time_or_log_is_refused(tmp_path):
    jobs = [(1, 30 * HOUR_S, 12 * HOUR_S, 4)]
    path = write(tmp_path, SLA, 6, jobs, morning, share=50)
    policy = compile_policy(path).policy
    state = state_at(policy, 6)
    late = read_state("s", state_text(state).replace("1780401600", "1780401601").encode())
    for one, log, says in (
        (late, jobs, "where no epoch of the plan begins"),
        (state, [(2, *jobs[0][1:])], "no such job"),
        (state, [(1, 30 * HOUR_S, 12 * HOUR_S, 3)], "another width"),
    ):
        write(tmp_path, SLA, 6, log, morning, share=50)
        with pytest.raises(TailcError) as caught:
            again(path, policy, one)
        (finding,) = caught.value.findings
        assert finding.code is Code.BAD_STATE
        assert says in finding.message


def test_the_commands_write_a_state_and_continue_from_it(tmp_path, capsys):
    path = write(tmp_path, SLA, 6, [(1, 30 * HOUR_S, 12 * HOUR_S, 4)], morning, share=50)
    first, state, second = (str(tmp_path / name) for name in ("first", "state.json", "second"))
    assert run(["compile", path, "-o", first, "--no-progress"]) == 0
    assert run(["advance", first, "--to", "2026-06-02T12:00Z", "-o", state]) == 0
    assert "1 job on 4 servers, 4 asleep" in capsys.readouterr().out
    flat = str(tmp_path / "state.tailc")
    assert run(["advance", first, "--to", "2026-06-02T12:00Z", "-o", flat]) == 0
    assert read_state_file(flat) == read_state_file(state)
    words = ["replan", first, "--spec", path, "--state", flat, "-o", second, "--no-progress"]
    until = ["--until", "2026-06-02T18:00Z"]
    (tmp_path / "new.csv").write_text((tmp_path / "sun.csv").read_text())
    given = ["--jobs", str(tmp_path / "jobs.csv"), "--forecast", str(tmp_path / "new.csv")]
    assert run([*words, *until, *given]) == 0
    assert "generation 2" in capsys.readouterr().out
    assert run(["advance", first, "--to", "2026-06-02T12:10Z", "-o", state]) == ExitCode.USAGE
    assert run([*words, "--until", "2026-06-02T12:10Z"]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, ""),
        ({"at_unix_s": 1_780_401_600}, "the plan begins at `2026-06-02T06:00Z`"),
        ({"servers": 9}, "the state has 9 servers, and the plan 8"),
    ],
)
def test_a_plan_goes_on_only_from_the_state_at_its_start(tmp_path, capsys, wrong, says):
    """A state of later would count hours twice."""
    path = write(tmp_path, SLA, 6, [(1, 30 * HOUR_S, 12 * HOUR_S, 4)], morning, share=50)
    plan, state, later = (str(tmp_path / name) for name in ("plan", "state", "later"))
    assert run(["compile", path, "-o", plan, "--no-progress"]) == 0
    assert run(["advance", plan, "--to", "2026-06-02T06:00Z", "-o", state]) == 0
    document = json.loads(Path(state).read_text())
    del document["asleep"]
    Path(state).write_text(json.dumps(document | wrong))
    for words in (
        ["advance", plan, "--to", "2026-06-02T18:00Z", "-o", later],
        ["export", "slurm", plan],
        ["export", "servers", plan],
    ):
        assert run([*words, "--state", state]) == (ExitCode.BAD_CONTENT if wrong else 0)
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("method", ["aggressive", "constant", "columns"])
def test_the_rule_for_later_jobs_is_that_of_the_plan_in_force(tmp_path, monkeypatch, method):
    """The default does not compare rules again in each hour, and `--method` still changes it."""
    path = write(tmp_path, PAR, 1, [(1, 24 * HOUR_S, 4 * HOUR_S, 2)], night)
    policy = compile_policy(path, overrides={"method": method}).policy
    monkeypatch.setattr("tailc.pipeline.later_jobs.choice.past_windows", None)
    state = state_at(policy, 1)
    assert again(path, policy, state).evidence.method == method
    opened = open_kind(path)
    other = replan(opened, policy, state, NewInputs(), overrides={"method": "reactive"}).policy
    assert other.evidence.method == "reactive"


def test_rules_are_compared_again_if_the_method_is_given(tmp_path):
    path = write(tmp_path, PAR, 1, [(1, 24 * HOUR_S, 4 * HOUR_S, 2)], night)
    policy = compile_policy(path, overrides={"method": "columns"}).policy
    given = {"method": "auto"}
    compiled = replan(open_kind(path), policy, state_at(policy, 1), NewInputs(), overrides=given)
    assert Code.RULE_CHOSEN in {one.code for one in compiled.findings}
    assert compiled.policy.evidence.method == "constant"


def test_a_spec_of_another_kind_is_refused_as_such(tmp_path):
    """Not by the method of the plan in force, which the other kind does not have."""
    path = write(tmp_path, PAR, 1, [(1, 24 * HOUR_S, 4 * HOUR_S, 2)], night)
    policy = compile_policy(path, overrides={"method": "constant"}).policy
    other = write(tmp_path, SLA, 1, [(1, 24 * HOUR_S, 4 * HOUR_S, 2)], night, share=0)
    with pytest.raises(TailcError) as caught:
        again(other, policy, state_at(policy, 1))
    (finding,) = caught.value.findings
    assert finding.code is Code.CONFLICT
    assert "has the kind `green-sla`, but policy `again` has the kind `greenpar`" in finding.message


def test_a_policy_is_no_state_and_a_state_is_no_policy():
    with pytest.raises(TailcError, match="is not a state of a plan: it is a policy"):
        read_state("plan.tailc", encode_flat(plan_policy()))
    with pytest.raises(TailcError, match="it is the state of a plan, and no policy") as caught:
        decode_flat(encode_state(PlanState(1, 1, 1, ())), "state.tailc")
    (finding,) = caught.value.findings
    assert finding.help == "give the policy of the plan here, and the state with `--state`"
