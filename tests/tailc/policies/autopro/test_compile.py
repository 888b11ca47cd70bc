"""What a compile makes of measured throughput, and what it refuses, by place and code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tailc.artifact.envelope import InputRole
from tailc.errors import Code, Finding, TailcError
from tailc.forms.shares import PPM, ShareCap
from tailc.pipeline.compile import compile_policy
from tailc.policies.autopro.control_spec import ControlSpec
from tailc.policies.autopro.emit import cap_of
from tailc.problems.shares import MachineModel
from tailc.studies.split import split_spec
from tailc.traces.throughput import read_throughput

SPEC = """\
apiVersion: tailc/v1
kind: autopro
name: two
throughput: {trace: design.csv, unit: ms, reference: a host}
machines:
  - {name: one, target: 8/s}
  - {name: two, target: 40%}
batch: [rest]
"""
STEP_MS = 750
A, B = 0.6, 20.0


def rows(name: str, b: float = B, a: float = A, steps: int = 40, seed: int = 1) -> list[str]:
    """Throughput of a model without noise under shares that are drawn anew at every step."""
    rng, now, told = Random(f"{name}{seed}"), 3.0, []
    for step in range(1, steps + 1):
        share = round(rng.uniform(0.1, 0.6), 3)
        now = a * now + b * share
        told.append(f"{step * STEP_MS},{name},{now!r},{share}")
    return told


def compiled(folder: Path, spec: str = SPEC, lines: list[str] | None = None):
    lines = [*rows("one"), *rows("two")] if lines is None else lines
    text = "\n".join(["time,machine,throughput,share", *lines]) + "\n"
    (folder / "design.csv").write_text(text)
    (folder / "service.yaml").write_text(spec)
    return compile_policy(str(folder / "service.yaml"))


def refused(folder: Path, spec: str = SPEC, lines: list[str] | None = None) -> Finding:
    """The first of the findings."""
    with pytest.raises(TailcError) as caught:
        compiled(folder, spec, lines)
    return caught.value.findings[0]


def position(finding: Finding) -> tuple[int | None, int | None]:
    """Line and column."""
    assert finding.place is not None
    return finding.place.line, finding.place.column


def test_models_are_found_and_targets_worked_out(tmp_path):
    """The whole host does 20 / (1 - 0.6) = 50 a second, of which 40 % is 20."""
    shares = compiled(tmp_path).policy.shares
    assert shares is not None
    first, second, rest = shares.machines
    assert (first.first_a_ppm, first.first_b_milli) == (600_000, 20_000)
    assert first.target_milli == 8_000
    assert second.target_milli == 20_000
    assert (rest.name, rest.target_milli) == ("rest", None)


def test_the_evidence_tells_what_the_host_attains_and_a_target_needs(tmp_path):
    """8 (1 - 0.6) / 20 is 16 % of the host."""
    settings = dict(compiled(tmp_path).policy.evidence.settings)
    assert settings["machine_1_most_milli"] == 50_000
    assert settings["machine_1_needs_ppm"] == 160_000
    assert settings["machine_1_error_ppm"] == 0
    assert settings["machine_2_needs_ppm"] == 400_000


def test_the_published_settings_are_the_defaults(tmp_path):
    """Bartolini, 2015, sections 2.3.2 and 2.4.1."""
    shares = compiled(tmp_path).policy.shares
    assert shares is not None
    assert shares.pole_ppm == 100_000
    assert (shares.window_us, shares.step_us) == (750_000, 750_000)
    assert (shares.estimate_us, shares.enforce_us) == (50_000, 50_000)


def test_caps_are_compared_over_as_many_steps_as_memory_and_noise_need(tmp_path):
    """3 / (1 - 0.6) without noise; with 20 %, (6 0.2 / (1/2))^2 (1 + 1/4) = 7.2."""
    shares = compiled(tmp_path).policy.shares
    assert shares is not None
    assert shares.cap == ShareCap(8, 20, PPM)
    noisy = MachineModel("x", 1_000, 100_000, 9_000, 200_000, 9_000, 100_000)
    assert cap_of(ControlSpec(), [noisy]) == ShareCap(8, 20, PPM)
    calm = replace(noisy, error_ppm=10_000)
    assert cap_of(ControlSpec(), [calm]) == ShareCap(4, 20, PPM)
    assert cap_of(ControlSpec(), [calm, noisy]) == ShareCap(8, 20, PPM)


def test_caps_are_as_the_spec_has_them(tmp_path):
    written = "control: {cap_steps: 5, cap_probe_steps: 40, cap_headroom: 50%}\nbatch"
    shares = compiled(tmp_path, SPEC.replace("batch", written)).policy.shares
    assert shares is not None
    assert shares.cap == ShareCap(5, 40, 500_000)
    without = compiled(tmp_path, SPEC.replace("batch", "control: {cap: false}\nbatch"))
    assert without.policy.shares is not None
    assert without.policy.shares.cap is None


@pytest.mark.parametrize(
    ("written", "code", "said"),
    [
        ("cap: false, cap_steps: 5", Code.CONFLICT, "has no effect without caps"),
        ("cap: false, cap_headroom: 50%", Code.CONFLICT, "has no effect without caps"),
        ("cap_headroom: 0%", Code.BAD_VALUE, "must be more than zero"),
        ("cap_headroom: 1001%", Code.BAD_VALUE, "must be above 0 % and at most 1,000 %,"),
        ("cap_steps: 0", Code.BAD_VALUE, "1"),
    ],
)
def test_caps_that_make_no_sense_are_refused_at_their_key(tmp_path, written, code, said):
    finding = refused(tmp_path, SPEC.replace("batch", f"control: {{{written}}}\nbatch"))
    assert finding.code is code
    assert said in finding.message
    assert position(finding)[0] == 8


def test_rows_that_come_several_times_a_step_give_a_model_of_the_step(tmp_path):
    spec = SPEC.replace("batch", "control: {step: 1500ms, estimate: 750ms}\nbatch")
    shares = compiled(tmp_path, spec).policy.shares
    assert shares is not None
    # Two steps of t' = a t + b r: a^2, and b (1 + a) for a share that stays.
    assert shares.machines[0].first_a_ppm == pytest.approx(360_000, abs=100_000)


def test_a_share_that_never_changes_is_refused_where_it_stands(tmp_path):
    constant = [f"{step * STEP_MS},two,{20 + step % 3},0.4" for step in range(1, 41)]
    finding = refused(tmp_path, lines=[*rows("one"), *constant])
    assert finding.code is Code.BAD_MODEL
    assert "`two` has no usable model: its share was 40 % all the time" in finding.message
    assert finding.place is not None
    assert (finding.place.row, finding.place.field) == (41, "share")
    assert finding.help


def test_a_model_that_is_not_stable_is_refused(tmp_path):
    finding = refused(tmp_path, lines=[*rows("one"), *rows("two", a=1.05, steps=30)])
    assert finding.code is Code.BAD_MODEL
    assert "`two` has no usable model: its coefficient a" in finding.message
    assert "would be 1.05, which is not stable" in finding.message


def test_a_model_in_which_more_share_gives_less_is_refused(tmp_path):
    """It does less and less, and least where it has most."""
    now, falling = 1e6, rows("one")
    for step, line in enumerate(rows("two"), start=1):
        share = float(line.split(",")[3])
        now = 0.9 * now - 50 * share
        falling.append(f"{step * STEP_MS},two,{now!r},{share}")
    finding = refused(tmp_path, lines=falling)
    assert finding.code is Code.BAD_MODEL
    assert "more share would give no more throughput" in finding.message


def noisy(name: str, noise: float, follows: float = 1.0, steps: int = 160) -> list[str]:
    """Throughput that follows its share in part, times 1 and noise of that size."""
    rng, told = Random(f"{name}{noise}"), []
    for step in range(1, steps + 1):
        share = round(rng.uniform(0.1, 0.6), 3)
        mean = B * (follows * share + (1 - follows) * 0.35)
        told.append(f"{step * STEP_MS},{name},{mean * (1 + rng.uniform(-noise, noise))!r},{share}")
    return told


@pytest.mark.parametrize(("noise", "steps"), [(0.9, 160), (0.3, 160), (0.05, 20)])
def test_throughput_that_does_not_follow_the_share_is_refused(tmp_path, noise, steps):
    spec = SPEC.replace("target: 40%", "target: 4/s")
    lines = [*rows("one"), *noisy("two", noise, follows=0.0, steps=steps)]
    finding = refused(tmp_path, spec, lines)
    assert finding.code is Code.BAD_MODEL
    assert f"its throughput does not depend on its share: in {steps - 1} steps" in finding.message
    assert finding.place is not None
    assert (finding.place.row, finding.place.field) == (41, "share")


def test_throughput_that_more_share_leaves_as_it_is_is_refused(tmp_path):
    saturated = [line.rsplit(",", 2) for line in rows("two")]
    lines = [f"{head},7.5,{share}" for head, _, share in saturated]
    spec = SPEC.replace("target: 40%", "target: 4/s")
    assert "does not depend" in refused(tmp_path, spec, [*rows("one"), *lines]).message


def test_throughput_that_follows_its_share_through_much_noise_is_compiled(tmp_path):
    lines = [*rows("one"), *noisy("two", 0.5)]
    assert compiled(tmp_path, lines=lines).policy.shares is not None


@pytest.mark.parametrize(("noise", "tolerance"), [(0.9, "20%"), (0.5, "10%"), (0.2, "5%")])
def test_noise_beyond_the_tolerance_is_a_warning(tmp_path, noise, tolerance):
    stated = f"tolerance: {tolerance}\ncontrol: {{method: paper}}\nbatch"
    spec = SPEC.replace("batch", stated)
    (warning,) = compiled(tmp_path, spec, [*rows("one"), *noisy("two", noise)]).findings
    assert warning.code is Code.NOISY_MODEL
    assert "`two`" in warning.message
    assert f"tolerance of {tolerance.replace('%', ' %')}" in warning.message
    assert position(warning) == (7, 25)


def test_noise_within_the_tolerance_is_no_warning(tmp_path):
    spec = SPEC.replace("batch", "tolerance: 20%\nbatch")
    assert not compiled(tmp_path, spec, [*rows("one"), *noisy("two", 0.2)]).findings


@pytest.mark.parametrize(
    ("control", "said"),
    [
        ("window: 10ms", "shorter than the 50 ms from one estimate to the next"),
        ("window: 49ms", "shorter than the 50 ms from one estimate to the next"),
        ("window: 50ms", "the trace was measured every 750 ms"),
        ("window: 187ms", "the trace was measured every 750 ms"),
        ("window: 700ms, estimate: 750ms", "shorter than the 750 ms from one estimate"),
    ],
)
def test_a_window_below_the_estimates_or_far_below_the_trace_s_is_a_warning(
    tmp_path, control, said
):
    spec = SPEC.replace("batch", f"control: {{{control}}}\nbatch")
    (warning,) = compiled(tmp_path, spec).findings
    assert warning.code is Code.SHORT_WINDOW
    assert said in warning.message
    assert warning.help == "set it to 750 ms, as in the trace"
    assert position(warning)[0] == 8


@pytest.mark.parametrize("window", ["188ms", "750ms", "1s"])
def test_a_window_about_as_long_as_the_trace_s_is_no_warning(tmp_path, window):
    spec = SPEC.replace("batch", f"control: {{window: {window}}}\nbatch")
    assert not compiled(tmp_path, spec).findings


def test_a_target_above_what_the_whole_host_attains_is_infeasible(tmp_path):
    finding = refused(tmp_path, SPEC.replace("8/s", "50.5/s"))
    assert finding.code is Code.INFEASIBLE
    assert "machine `one` cannot do 50.5/s: with 100 % of the host it does at most 50/s" in (
        finding.message
    )
    assert finding.help == "lower its target to 50/s"
    assert position(finding) == (6, 25)


def test_every_infeasible_target_is_told_on_its_own_line(tmp_path):
    spec = SPEC.replace("8/s", "50.5/s").replace("40%", "60/s")
    with pytest.raises(TailcError) as caught:
        compiled(tmp_path, spec)
    assert [position(finding) for finding in caught.value.findings] == [(6, 25), (7, 25)]


def test_a_target_of_all_that_a_part_of_the_host_attains_is_met(tmp_path):
    spec = SPEC.replace("batch", "host: {max_total: 80%}\nbatch").replace("8/s", "40/s")
    assert compiled(tmp_path, spec).policy.shares is not None


def test_targets_that_need_more_than_the_host_together_are_a_warning(tmp_path):
    (warning,) = compiled(tmp_path, SPEC.replace("8/s", "40/s")).findings
    assert warning.code is Code.HOST_SHORT
    assert "together need 120.0 % of the host, but only 100 % is available" in warning.message
    assert "`one` 80.0 %, `two` 40.0 %" in warning.message
    assert position(warning) == (5, 1)


def test_a_target_that_the_least_share_does_more_than_is_a_warning(tmp_path):
    """1 (1 - 0.6) / 20 is 2 % of the host; 5 % do 2.5 a second. At 2.5 nothing is odd."""
    (warning,) = compiled(tmp_path, SPEC.replace("8/s", "1/s")).findings
    assert warning.code is Code.UNDER_LEAST
    assert "machine `one` needs 2 % of the host for 1/s, but gets at least 5 %" in warning.message
    assert warning.help
    assert position(warning) == (6, 25)
    assert not compiled(tmp_path, SPEC.replace("8/s", "2.5/s")).findings


def test_a_machine_that_was_not_measured_is_refused(tmp_path):
    finding = refused(tmp_path, lines=rows("one"))
    assert finding.code is Code.UNKNOWN_MACHINE
    assert "machine `two` has a target, but the trace has no rows of it" in finding.message


def test_a_measured_machine_that_is_not_declared_is_refused_with_what_was_meant(tmp_path):
    finding = refused(tmp_path, lines=[*rows("one"), *rows("two"), *rows("tow")])
    assert finding.code is Code.UNKNOWN_MACHINE
    assert "did you mean `two`" in (finding.help or "")


def test_rows_that_do_not_divide_a_step_are_refused(tmp_path):
    finding = refused(tmp_path, SPEC.replace("batch", "control: {step: 1s}\nbatch"))
    assert finding.code is Code.BAD_MODEL
    assert "every 750 ms, which does not divide the step of 1 s" in finding.message


def test_too_short_a_trace_is_refused(tmp_path):
    finding = refused(tmp_path, lines=[*rows("one"), *rows("two", steps=8)])
    assert finding.code is Code.BAD_MODEL
    assert "7 steps were measured, and a model needs 8" in finding.message


def test_the_latest_rows_are_held_out_and_written_as_they_are_read(tmp_path, monkeypatch):
    spec = SPEC.replace("reference: a host", "reference: a host, held_out: 25%")
    policy = compiled(tmp_path, spec).policy
    by_role = {part.role: part for part in policy.inputs}
    assert by_role[InputRole.DESIGN].rows == 60
    assert by_role[InputRole.HELD_OUT].rows == 20
    for part in split_spec(str(tmp_path / "service.yaml"), str(tmp_path / "parts")).parts:
        assert part.digest == by_role[part.role].digest
        assert read_throughput(str(part.path), policy.reading).digest == part.digest


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("target: 8/s", "target: 8", Code.MISSING_UNIT, "has no unit"),
        ("name: two, target", "name: one, target", Code.CONFLICT, "name of another machine"),
        ("batch: [rest]", "batch: [one]", Code.CONFLICT, "name of another machine"),
        ("batch: [rest]", "control: {pole: 1}", Code.BAD_VALUE, "0 and below 1,"),
        ("batch: [rest]", "control: {forgetting: 0}", Code.BAD_VALUE, "above 0"),
        (
            "batch: [rest]",
            "control: {step: 80ms}",
            Code.CONFLICT,
            "`control.step` is 80 ms, which is not a multiple of the estimate of 50 ms",
        ),
        (
            "batch: [rest]",
            "control: {estimate: 70ms}",
            Code.CONFLICT,
            "`control.estimate` is 70 ms, which does not divide the step of 750 ms",
        ),
        (
            "batch: [rest]",
            "control: {estimate: 10us}",
            Code.CONFLICT,
            "`control.estimate` makes 75,000 estimates in a step of 750 ms; the limit is 1,000",
        ),
        ("batch: [rest]", "host: {min_share: 60%}", Code.CONFLICT, "more than the host"),
        (
            "batch: [rest]",
            "host: {max_total: 8%}",
            Code.CONFLICT,
            "`machines` get at least 5 % each, which together is more than the 8 % of the host",
        ),
        ("batch: [rest]", "host: {max_total: 120%}", Code.BAD_VALUE, "at most the whole host"),
    ],
)
def test_a_spec_that_cannot_be_is_refused(tmp_path, old, new, code, said):
    finding = refused(tmp_path, SPEC.replace(old, new))
    assert finding.code is code
    assert said in finding.message
    assert finding.place is not None
    assert finding.place.line


@pytest.mark.parametrize(
    ("step", "least"), [("750ms", "750us"), ("3600s", "3.6s"), ("1009us", "1.009ms")]
)
def test_the_least_estimate_that_divides_a_step_is_told(tmp_path, step, least):
    """1009 is a prime."""
    control = f"control: {{step: {step}, estimate: 1us}}"
    finding = refused(tmp_path, SPEC.replace("batch: [rest]", control))
    assert finding.help is not None
    assert f"set `estimate: {least}` or more" in finding.help


def test_nothing_is_searched(tmp_path):
    compiled(tmp_path)
    with pytest.raises(TailcError) as caught:
        compile_policy(str(tmp_path / "service.yaml"), overrides={"method": "dual"})
    assert caught.value.findings[0].code is Code.USAGE
