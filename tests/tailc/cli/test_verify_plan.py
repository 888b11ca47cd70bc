"""Plans on the command line: verdicts on held-out days, formats, and what is refused."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.plan import Battery, Malleable, PlannedJob, Span
from tailc.report.plan_verdict import as_dict
from tailc.report.plan_window import power_of_window
from tailc.studies.held_out_days import read_held_out_days
from tailc.verify.plan.judge import verify_plan
from tests.tailc.artifact.published import VECTORS
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.cli.verify_plan_case import VERDICT
from tests.tailc.held_out_days import malleable_plan, rigid_plan, write_days, write_plan
from tests.tailc.schemas import validate
from tests.tailc.toy import write_toy

LINEAR = '\nspeedup: {own: {"1": 1, "2": 2, "4": 4}}'
HORIZON = 'horizon: {start: "2012-07-02T00:00Z"}'


@pytest.fixture
def days(in_folder):
    write_plan(in_folder, rigid_plan())
    return write_days(in_folder)


@pytest.fixture
def told(tailc):
    def ask(*words, code=0):
        ended = tailc("verify", *words, "--output-format", "json")
        assert ended.code == code, ended.out
        document = json.loads(ended.out)
        validate(document, OUTPUT)
        validate(document["result"], VERDICT)
        return document["result"]

    return ask


def test_a_window_a_day_is_judged_from_the_document_s_own_start(days, told):
    found = told("plan", "--trace", days)
    # The second to the twelfth of July, of which nothing is the plan's own.
    assert (found["held_out"]["windows"], found["held_out"]["design_windows"]) == (11, 0)
    assert found["held_out"]["from_unix_s"] == 1_341_187_200
    assert found["held_out"]["jobs"] == 22
    policy, first_fit, smart_green = found["subjects"]
    assert [one["name"] for one in (first_fit, smart_green)] == ["first-fit", "smart-green"]
    # By night the two green slots of four are missed, and 10 cents less 8 are worth taking.
    assert policy["means"]["admitted"]["value"] == 1
    assert policy["means"]["violations"]["value"] == 0.5
    brown_kwh = 2 * 0.1 * 2
    assert policy["means"]["brown_kwh"]["value"] == pytest.approx(brown_kwh)
    assert policy["means"]["green_kwh"]["value"] == pytest.approx(brown_kwh)
    assert policy["means"]["spilled_kwh"]["value"] == pytest.approx(12 * 0.4 - brown_kwh)
    assert policy["means"]["co2_kg"]["value"] == pytest.approx(brown_kwh * 0.5)
    paid = 2 * (2 * 0.03 + 2 * 0.02) - 2 * 0.04
    assert policy["means"]["profit_dollars"]["value"] == pytest.approx(paid - brown_kwh * 0.1)


def test_prices_that_keep_out_what_would_be_missed_are_undecided_until_there_are_enough(
    in_folder, days, tailc
):
    """Four slots pay 10 cents, of which 8 go back by night: at 2.4 for the four that is refused."""
    write_plan(in_folder, rigid_plan(6_000, violations_ppm=200_000), "dear")
    ended = tailc("verify", "dear", "--trace", days)
    assert ended.code == 4
    assert "of the admitted jobs miss their green energy; 0 % did" in ended.out
    # None of 11 is missed, but 3 might be: of 15 that is a fifth.
    assert "about 4 more windows would decide" in ended.out
    assert ended.out.endswith("verdict: undecided\n")


def test_a_broken_promise_fails(in_folder, days, tailc, told):
    write_plan(in_folder, rigid_plan(violations_ppm=200_000), "broken")
    assert told("broken", "--trace", days, code=1)["verdict"] == "fail"
    ended = tailc("verify", "broken", "--trace", days, "--output-format", "junit")
    assert '<failure type="fail"' in ended.out


def test_servers_that_fail_take_fee_and_promise_with_them(in_folder, days, tailc, told):
    """All fail after an hour: a job has two slots, one of them promised; by night it is missed."""
    found = told("plan", "--trace", days, "--failures", "100%")
    assert found["failures_ppm"] == 1_000_000
    means = found["subjects"][0]["means"]
    assert means["brown_kwh"]["value"] == pytest.approx(0.2)
    paid = 2 * (0.03 + 0.02) - 0.04
    assert means["profit_dollars"]["value"] == pytest.approx(paid - 0.2 * 0.1)
    ended = tailc("verify", "plan", "--trace", days, "--failures", "100%")
    assert "100 % of the servers with a job failed in an hour" in ended.out
    some = [
        tailc("verify", "plan", "--trace", days, "--failures", "30%", "--seed", seed).out
        for seed in (1, 1, 2)
    ]
    assert some[0] == some[1] != some[2]
    write_plan(in_folder, malleable_plan(), "cluster")
    linear = write_days(in_folder, (HORIZON, HORIZON + LINEAR))
    ended = tailc("verify", "cluster", "--trace", linear, "--failures", "1%")
    assert ended.code == 64
    assert "remove `--failures`" in ended.err


def test_what_a_battery_gives_and_loses_is_told(in_folder, days, tailc, told):
    """The sun of a day leaves 4.4 kWh; 0.125 are charged, a fifth is lost, and the night has 0.1
    of the 0.4 kWh that it needs.
    """
    battery = Battery(360_000_000, 500_000, 500_000, 800_000, 0)
    whole = rigid_plan()
    flows = [0] * 24
    flows[10], flows[20] = 450_000_000, -360_000_000
    sunny = [
        replace(epoch, green_mw=400_000 if 6 <= at < 18 else 0, battery_mj=flows[at])
        for at, epoch in enumerate(whole.epochs)
    ]
    job = PlannedJob("night", (Span(0, 20, 2, 2),), 0)
    stored = replace(whole, epochs=tuple(sunny), battery=battery, jobs=(job,))
    write_plan(in_folder, stored, "stored")
    means = told("stored", "--trace", days)["subjects"][0]["means"]
    assert means["battery_kwh"]["value"] == pytest.approx(0.1)
    assert means["lost_kwh"]["value"] == pytest.approx(0.025)
    assert means["brown_kwh"]["value"] == pytest.approx(0.3)
    assert means["spilled_kwh"]["value"] == pytest.approx(4.4 - 0.125)
    assert "battery kWh" in tailc("verify", "stored", "--trace", days).out
    assert "battery kWh" not in tailc("verify", "plan", "--trace", days).out
    both = tailc("diff", "plan", "stored", "--trace", days).out.splitlines()
    (row,) = [line.split() for line in both if line.startswith("battery kWh")]
    assert row[2:5] == ["0", "0.1000", "+0.1000"]


def test_at_most_so_many_windows_are_judged(days, tailc, told):
    found = told("plan", "--trace", days, "--windows", "3", code=4)
    assert (found["held_out"]["windows"], found["more_windows"]) == (3, 1)
    assert found["subjects"][0]["means"]["profit_dollars"]["low"] is None
    ended = tailc("verify", "plan", "--trace", days, "--windows", "3")
    assert "95 % interval unknown" in ended.out
    assert "an interval needs 4 windows at least" in ended.out


def test_windows_with_energy_that_is_not_known_or_no_jobs_are_left_out(in_folder, tailc, told):
    write_plan(in_folder, rigid_plan())
    days = write_days(in_folder, ("unit: kW}", "unit: kW, skip_longer_gaps: true}"))
    sun, jobs = in_folder / "roof.csv", in_folder / "jobs.csv"
    sun.write_text(sun.read_text().replace("2012-07-04T09:00Z,0.4\n", ""))
    # The jobs of the sixth of July, five days after the log's start.
    kept = [line for line in jobs.read_text().splitlines() if line[:6] not in ("460800", "504000")]
    jobs.write_text("\n".join(kept) + "\n")
    found = told("plan", "--trace", days)["held_out"]
    assert (found["windows"], found["excluded_windows"], found["jobs"]) == (9, 2, 18)
    ended = tailc("verify", "plan", "--trace", days)
    assert "2 windows left out, without jobs or with energy that is not known" in ended.out
    first = told("plan", "--trace", days, "--windows", "4")["held_out"]
    assert (first["windows"], first["excluded_windows"]) == (4, 2)


@pytest.mark.parametrize("form", ["text", "junit", "markdown", "github"])
def test_every_format_says_what_was_promised_and_found(days, tailc, form):
    ended = tailc("verify", "plan", "--trace", days, "--output-format", form)
    assert ended.code == 0
    plain = ended.out.replace("%25", "%")
    assert "at most 50 % of the admitted jobs miss their green energy; 50.0 % did" in plain


def test_text_has_a_row_for_each_subject_and_a_gain_over_each(days, tailc):
    lines = tailc("verify", "plan", "--trace", days).out.splitlines()
    assert lines[0] == (
        "policy `plan`, generation 1, 11 windows of 24 h from 2012-07-02T00:00Z to "
        "2012-07-13T00:00Z, 22 jobs"
    )
    rows = [line.split()[0] for line in lines if line]
    assert rows[2:6] == ["profit", "policy", "first-fit", "smart-green"]
    assert "over smart-green" in "".join(lines)
    assert max(map(len, lines[4:])) <= 100


def test_the_same_days_give_the_same_verdict(days, tailc):
    words = ("verify", "plan", "--trace", days, "--output-format", "json")
    assert tailc(*words).out == tailc(*words).out


@pytest.mark.parametrize(
    "words",
    [
        ("--requests", "2000"),
        ("--rate", "5/s"),
        ("--cut-off", "1s"),
        ("--chip", "x.yaml"),
        ("--tolerance", "5%"),
        ("--replicates", "50"),
        ("--format", "csv"),
    ],
)
def test_options_about_requests_do_not_apply(days, tailc, words):
    ended = tailc("verify", "plan", "--trace", days, *words)
    assert ended.code == 64
    assert "is a plan of jobs, not a policy for requests" in ended.err
    assert words[0] in ended.err


def test_baselines_are_those_that_are_named(days, told, in_folder):
    only = told("plan", "--trace", days, "--baselines", "smart-green")
    assert [one["name"] for one in only["subjects"]] == ["policy", "smart-green"]
    none = told("plan", "--trace", days, "--baselines", "none")
    assert none["subjects"] == only["subjects"][:1]


def test_names_of_no_baseline_are_refused_before_any_day_is_read(days, tailc):
    ended = tailc("verify", "plan", "--trace", "no-such.yaml", "--baselines", "first-fits")
    assert ended.code == 64
    assert "there is no baseline `first-fits` of rigid jobs" in ended.err
    assert "did you mean `first-fit`? Known: `first-fit`, `smart-green`" in ended.err


def test_windows_are_of_plans(days, tailc, in_folder):
    ended = tailc("verify", VECTORS / "lucene", "--trace", days, "--windows", "3")
    assert ended.code == 64
    assert "--windows applies only to plans of jobs" in ended.err
    ended = tailc("verify", VECTORS / "lucene", "--trace", days, "--failures", "3%")
    assert "--failures applies only to plans of jobs" in ended.err


def test_days_of_the_plan_itself_are_refused_and_told_if_allowed(in_folder, tailc, told):
    write_plan(in_folder, rigid_plan())
    own = write_days(in_folder, ("at_start: 24h", "at_start: 0s"), ("07-02T00", "07-01T00"))
    ended = tailc("verify", "plan", "--trace", own)
    assert ended.code == 65
    assert (
        "error[TC0601]: 1 of 12 windows are within the days from which `plan` was compiled, which "
        "end at `2012-07-02T00:00Z`"
    ) in ended.err
    assert "days.yaml:13:18" in ended.err
    found = told("plan", "--trace", own, "--allow-compile-trace")
    assert (found["held_out"]["windows"], found["held_out"]["design_windows"]) == (12, 1)
    ended = tailc("verify", "plan", "--trace", own, "--allow-compile-trace")
    assert "1 window of the days that the policy was compiled from" in ended.out


def test_a_plan_of_servers_that_differ_is_not_replayed(days, tailc):
    ended = tailc("verify", VECTORS / "plan-cluster", "--trace", days)
    assert ended.code == 65
    assert "error[TC0503]: the plan of" in ended.err
    assert "a plan of malleable jobs must have one pool" in ended.err


def test_malleable_jobs_are_judged_by_the_document_s_speed_ups(in_folder, tailc, told):
    write_plan(in_folder, malleable_plan(1_000), "cluster")
    days = write_days(in_folder, (HORIZON, HORIZON + LINEAR))
    found = told("cluster", "--trace", days)
    assert (found["job_type"], found["judged"], found["held_out"]["jobs"]) == (
        "malleable", "late", 22
    )  # fmt: skip
    policy, *others = found["subjects"]
    assert [one["name"] for one in others] == ["constant", "reactive", "nebulous"]
    # On two servers for two hours it costs as much as on four for one, and fewer are taken.
    means = {name: mean["value"] for name, mean in policy["means"].items()}
    assert (means["servers"], means["run_hours"], means["relative_run"]) == (2, 2, 1)
    assert (means["done"], means["late"], means["vms"]) == (1, 0, 4)
    assert means["brown_kwh"] == means["green_kwh"] == pytest.approx(0.4)
    assert means["cost_dollars"] == pytest.approx(0.04)
    # Sooner is worth more than nothing: four servers, which the sun carries too.
    hasty = replace(malleable_plan(1_000), malleable=Malleable(1, 1_100_000))
    write_plan(in_folder, hasty, "hasty")
    policy, constant, *_ = told("hasty", "--trace", days)["subjects"]
    assert policy["means"]["relative_run"]["value"] == 0.5
    assert constant["gains"]["run_hours"]["value"] == -1
    text = tailc("verify", "hasty", "--trace", days).out
    assert "of the jobs run for too long; 0 % did" in text
    assert "relative to what it" in text


def test_malleable_jobs_need_applications_with_speed_ups(in_folder, days, tailc):
    write_plan(in_folder, malleable_plan(), "cluster")
    ended = tailc("verify", "cluster", "--trace", days)
    assert ended.code == 65
    assert "error[TC0103]: `jobs` does not state the applications of jobs" in ended.err
    assert "days.yaml:3:1" in ended.err
    odd = write_days(in_folder, ("at_start: 24h", "at_start: 24h\n  applications: {render: 1}"))
    ended = tailc("verify", "cluster", "--trace", odd)
    assert "`jobs.applications.render` has no speed-up" in ended.err
    assert "days.yaml:7:26" in ended.err
    lacks = write_days(in_folder, (HORIZON, HORIZON + '\nspeedup: {own: {"1": 1, "4": 3}}'))
    ended = tailc("verify", "cluster", "--trace", lacks)
    assert ended.code == 65
    assert "application `own` has no speed-up on 2 servers with 4 virtual machines" in ended.err
    assert "days.yaml:14:16" in ended.err


def test_malleable_jobs_need_numbers_of_their_own(in_folder, tailc):
    write_plan(in_folder, malleable_plan(), "cluster")
    columns = ("width: nodes}", "width: nodes, number: nodes}")
    days = write_days(in_folder, columns, (HORIZON, HORIZON + LINEAR))
    ended = tailc("verify", "cluster", "--trace", days)
    assert ended.code == 65
    assert "error[TC0104]: job number 2 occurs twice in the log" in ended.err
    assert "jobs.csv, row 4" in ended.err


def test_a_spec_of_requests_tells_of_no_days(days, tailc, in_folder):
    ended = tailc("verify", "plan", "--trace", write_toy(in_folder))
    assert ended.code == 65
    assert "error[TC0107]: a spec of kind `few-to-many` describes no days" in ended.err
    assert "toy.yaml:2:7" in ended.err


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (("kind: days", "kind: weeks"), 65, "`kind` cannot be `weeks`"),
        (("price: 10c/kWh", "price: 10"), 65, "days.yaml:11:10"),
        (("trace: roof.csv", "trace: gone.csv"), 66, "gone.csv"),
        (('horizon: {start: "2012-07-02T00:00Z"}', ""), 65, "`horizon` is missing"),
        (("07-02T00:00Z", "07-02T00:00"), 65, "error[TC0241]"),
        (("07-02T00:00Z", "08-02T00:00Z"), 65, "error[TC0246]"),
        # No whole day is left.
        (("07-02T00:00Z", "07-12T01:00Z"), 65, "error[TC0246]"),
        # All jobs came before.
        (("at_start: 24h", "at_start: 400h"), 65, "error[TC0201]"),
        (("at_start: 24h", "at_start: 288h"), 65, "error[TC0246]: there is no window of 24 h from"),
    ],
)
def test_what_is_wrong_with_the_document_has_its_place(in_folder, tailc, change, code, said):
    write_plan(in_folder, rigid_plan())
    ended = tailc("verify", "plan", "--trace", write_days(in_folder, change))
    assert ended.code == code, ended.err
    assert said in ended.err
    assert "help:" in ended.err


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("roof.csv", "2012-07-02T05:00Z,0\n", "", "error[TC0244]"),
        ("roof.csv", "2012-07-02T08:00Z,0.4\n", "2012-07-02T08:00Z,-0.4\n", "roof.csv:34"),
        ("roof.csv", "2012-07-02T08:00Z", "2012-07-02T08:00", "error[TC0241]"),
        ("jobs.csv", "115200,7200,2", "115200,7200,9", "error[TC0245]"),
        ("jobs.csv", "115200,7200,2", "115200,0,2", "jobs.csv:4, row 3"),
    ],
)
def test_what_is_wrong_with_the_data_has_its_row(days, tailc, file, old, new, said):
    path = days.parent / file
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    ended = tailc("verify", "plan", "--trace", days)
    assert ended.code == 65, ended.out
    assert said in ended.err
    assert "help:" in ended.err


def test_a_log_that_ends_in_the_middle_is_refused(in_folder, tailc):
    write_plan(in_folder, rigid_plan())
    lines = [f"{n} {3_600 * n} 0 600 2 -1 -1 2 600 -1 1 1 1 1 1 1 -1 -1" for n in range(1, 50)]
    whole = gzip.compress("\n".join(lines).encode(), mtime=0)
    (in_folder / "jobs.swf.gz").write_bytes(whole[: len(whole) // 2])
    columns = "\n  columns: {submit: submit, run: run, width: nodes}"
    days = write_days(in_folder, ("trace: jobs.csv" + columns, "trace: jobs.swf.gz"))
    ended = tailc("verify", "plan", "--trace", days)
    assert ended.code == 65
    assert "error[TC0208]" in ended.err
    assert "jobs.swf.gz" in ended.err


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.swf.gz", "roof.parquet"])
def test_a_log_or_a_series_alone_is_no_document(days, tailc, name):
    ended = tailc("verify", "plan", "--trace", name)
    assert ended.code == 64
    assert f"`{name}` is a log or a series" in ended.err
    assert "help: give the plan's spec, or a document of `kind: days`" in ended.err


def test_check_reads_documents_of_days(days, tailc, in_folder):
    assert tailc("check", days, "--with-trace").code == 0
    days.write_text(days.read_text() + "terms: {green: 3c/h}\n")
    ended = tailc("check", days)
    assert ended.code == 65
    assert "error[TC0102]: `terms` is not a known key" in ended.err
    write_days(in_folder, ("trace: roof.csv", "trace: gone.csv"))
    assert tailc("check", days).code == 0
    assert tailc("check", days, "--with-trace").code == 66


def test_the_first_window_is_drawn(in_folder, days, tailc, told):
    found = told("plan", "--trace", days, "--picture", "first.svg")
    assert found["files"] == ["first.svg"]
    drawn = (in_folder / "first.svg").read_bytes()
    assert drawn.startswith(b"<svg ")
    ended = tailc("verify", "plan", "--trace", days, "--picture", "again.svg")
    assert ended.out.endswith(f"verdict: {found['verdict']}\n\nwrote again.svg\n")
    assert (in_folder / "again.svg").read_bytes() == drawn
    assert "files" not in told("plan", "--trace", days, code=ended.code)


def test_the_drawn_window_is_the_judged_one(in_folder, days):
    """Of one window alone the means are its books."""
    policy = read_policy("plan")
    held_out = read_held_out_days(policy, str(days), 1)
    power = power_of_window(policy, held_out, PlanOptions())
    means = as_dict(verify_plan(policy, held_out))["subjects"][0]["means"]
    assert sum(one.brown_mj for one in power.entries) / 3.6e9 == means["brown_kwh"]["value"]
    assert sum(power.begun.values()) == 2
    assert power.start_unix_s == 1_341_187_200
    assert power.forecast_mw is not None
    assert sum(power.forecast_mw) == sum(one.green_mj for one in power.entries) // 3_600


@pytest.mark.parametrize("share", ["  green: {share: 0%}\n", ""])
def test_days_that_promise_nothing_are_told(in_folder, tailc, share):
    write_plan(in_folder, rigid_plan())
    days = write_days(in_folder, ("  green: {share: 50%}\n", share))
    ended = tailc("verify", "plan", "--trace", days)
    assert ended.code == 0
    assert "warning[TC0603]: no job requests green energy" in ended.err
    assert "days.yaml:3:1" in ended.err


def test_a_cluster_promises_no_green_energy(in_folder, tailc):
    write_plan(in_folder, malleable_plan())
    days = write_days(in_folder, ("  green: {share: 50%}\n", "  applications: {EP: 1}\n"))
    ended = tailc("verify", "plan", "--trace", days)
    assert ended.code == 0
    assert "TC0603" not in ended.err


def test_a_picture_of_no_kind_is_refused_before_days_are_read(days, tailc):
    ended = tailc("verify", "plan", "--trace", "nowhere.yaml", "--picture", "first.gif")
    assert ended.code == 64
    assert "neither `.svg` nor `.png`" in ended.err


def test_pictures_are_of_plans(days, tailc):
    ended = tailc("verify", VECTORS / "lucene", "--trace", days, "--picture", "first.svg")
    assert ended.code == 64
    assert "--picture applies only to plans of jobs" in ended.err
