"""Serial parts from the spec to the replay of a held-out trace."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.errors import Code, TailcError
from tailc.forms.ladder.units import degrees
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import workload
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.reading import request_reading
from tailc.pipeline.spec import open_kind
from tailc.report.policy import policy_text
from tailc.studies.held_out import read_held_out
from tailc.studies.split import split_spec
from tailc.traces.serial import Serial
from tests.tailc.toy import SPEC, with_lines, write_toy

MS = 1_000_000


def serial_of(tmp_path, said: str) -> Serial | None:
    return read_as(write_toy(tmp_path, f"{SPEC}serial: {said}\n"))


def read_as(path: str) -> Serial | None:
    """The serial parts in the reading of a spec."""
    spec = open_kind(path).spec
    return request_reading(spec.demand, spec.speedup, None, spec.serial).serial


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("{start: 2ms}", Serial(2_000, 0, 0, 0)),
        ("{end: 5%}", Serial(0, 0, 0, 50_000)),
        ("{start: 12.5 %, end: 900us}", Serial(0, 125_000, 900, 0)),
        ("{start: 1s, end: 1s}", Serial(1_000_000, 0, 1_000_000, 0)),
        # with 1.5 on two threads and 2 on three at most a quarter can be serial
        ("{start: 20%, end: 5%}", Serial(0, 200_000, 0, 50_000)),
    ],
)
def test_parts_are_times_or_shares(tmp_path, said, parts):
    assert serial_of(tmp_path, said) == parts


@pytest.mark.parametrize(
    ("said", "code", "complaint"),
    [
        ("{}", Code.MISSING_KEY, "has neither `start` nor `end`"),
        ("{start: 2}", Code.MISSING_UNIT, "no unit"),
        ("{start: 0ms}", Code.BAD_VALUE, "must be more than zero"),
        ("{middle: 2ms}", Code.UNKNOWN_KEY, "middle"),
        ("{start: 60%, end: 40%}", Code.BAD_VALUE, "is 100 % of a request in all"),
        ("{start: 20%, end: 5.1%}", Code.CONFLICT, "at most 25.0 % can be serial"),
        ("[2ms, 5%]", Code.BAD_VALUE, "mapping"),
    ],
)
def test_parts_that_make_no_sense_are_refused(tmp_path, said, code, complaint):
    with pytest.raises(TailcError) as caught:
        serial_of(tmp_path, said)
    (finding,) = caught.value.findings
    assert finding.code is code
    assert complaint in str(finding)


def test_the_largest_share_is_that_of_the_degrees_that_are_used(tmp_path):
    # 2 on two threads leave nothing serial, but three threads are slower than that
    slower = with_lines(("[1, 1.5, 2]", "[1, 1.2, 2]"), ("cores: 6,", "cores: 6, max_degree: 2,"))
    spec = write_toy(tmp_path, f"{slower}serial: {{start: 60%}}\n")
    assert read_as(spec) == Serial(0, 600_000, 0, 0)


def test_verify_replays_the_parts_that_the_policy_has(tmp_path):
    spec = write_toy(tmp_path, f"{SPEC}serial: {{start: 10ms, end: 5%}}\n")
    write_policy(compile_policy(spec).policy, tmp_path / "toy")
    policy = read_policy(tmp_path / "toy.tailc")
    assert policy.reading.serial == Serial(10_000, 0, 0, 50_000)
    ladder = policy.ladders[0]
    held_out = read_held_out(policy, str(tmp_path / "toy.csv"))
    load = workload(held_out.profile, ladder)
    assert degrees(ladder) == (1, 2, 3)
    engine = SharedCores("x", (fixed_rung(ladder, 1),)).engine(1_000, 10)
    outcome = engine.replay(load, np.array([0, 1]), np.array([0, 500 * MS]))
    # 12.5 of 50 ms are serial, and 17.5 of 150 ms; on two threads they take 33.3 and 100 ms
    assert outcome.latency_ns / MS == pytest.approx([50 / 1.5, 100], abs=1e-4)
    threads_ms = [12.5 + 2 * (50 / 1.5 - 12.5), 17.5 + 2 * (100 - 17.5)]
    assert outcome.thread_ns / MS == pytest.approx(threads_ms, abs=1e-4)


def test_a_part_of_a_split_trace_has_the_parts_of_the_policy(tmp_path):
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(40))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 25%")
    text = f"{with_lines(held_out)}serial: {{end: 5%}}\n"
    spec = write_toy(tmp_path, text, f"request,demand_ms\n{rows}")
    policy = compile_policy(spec).policy
    path = split_spec(spec, str(tmp_path / "part")).parts[1].path
    assert read_held_out(policy, str(path)).profile.serial == Serial(0, 0, 0, 50_000)


def test_the_formula_s_table_is_the_same_with_serial_parts(tmp_path):
    without = compile_policy(write_toy(tmp_path)).policy
    with_parts = compile_policy(write_toy(tmp_path, f"{SPEC}serial: {{start: 20%}}\n")).policy
    assert with_parts.forms == without.forms
    assert with_parts.inputs == without.inputs
    assert replace(with_parts.reading, serial=None) == without.reading
    assert "serial     start 20 %\n" in policy_text(with_parts)
    assert "serial  " not in policy_text(without)
