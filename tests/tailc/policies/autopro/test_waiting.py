"""Recorded numbers of waiting requests: in the model, in the artifact and in replays."""

from __future__ import annotations

from random import Random

import pytest

from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import minor_of
from tailc.errors import Code, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import recorded_periods
from tailc.experiment.ruling import Ruling
from tailc.pipeline.compile import compile_policy
from tailc.traces.throughput import read_throughput
from tailc.verify.throughput.judge import verify_throughput

A, B, STEP_MS = 0.3, 28.0, 750
SPEC = """\
apiVersion: tailc/v1
kind: autopro
name: one
throughput: {{trace: design.csv, unit: ms, reference: a host{waiting}}}
machines: [{{name: one, target: 8/s}}]
batch: [rest]
{control}
"""
RECORDED = ", waiting: queued"


def lines(seed: int, lacks_work=lambda step: step % 10 >= 6, steps: int = 120) -> str:
    """Throughput of a model without noise, but 2 a second in steps without more work."""
    rng, now = Random(seed), 12.0
    told = ["time,machine,throughput,share,queued"]
    for step in range(1, steps + 1):
        share = round(rng.uniform(0.1, 0.6), 3)
        now = 2.0 if lacks_work(step) else A * now + B * share
        told.append(f"{step * STEP_MS},one,{now!r},{share},{0 if lacks_work(step) else step}")
    return "\n".join(told) + "\n"


def compiled(folder, waiting=RECORDED, control="", **rows):
    (folder / "design.csv").write_text(lines(1, **rows))
    (folder / "service.yaml").write_text(SPEC.format(waiting=waiting, control=control))
    return compile_policy(str(folder / "service.yaml")).policy


def held_out(folder, policy, **rows):
    (folder / "heldout.csv").write_text(lines(2, **rows))
    return read_throughput(str(folder / "heldout.csv"), policy.reading)


def test_the_model_is_that_of_the_steps_in_which_work_waits(tmp_path):
    """A tenth of them comes after a step without work, which did less than the model has."""
    (machine,) = compiled(tmp_path).shares.served_machines
    assert machine.first_a_ppm == pytest.approx(A * 1e6, abs=2)
    assert machine.first_b_milli == pytest.approx(B * 1e3, abs=2)
    (machine,) = compiled(tmp_path, waiting="").shares.served_machines
    assert machine.first_b_milli < 0.8 * B * 1e3


def test_the_artifact_has_the_column_and_one_without_it_has_its_older_version(tmp_path):
    policy = compiled(tmp_path)
    assert policy.reading.columns.waiting == "queued"
    assert decode_flat(encode_flat(policy)).reading == policy.reading
    older = compiled(tmp_path, waiting="", control="control: {cap: false}")
    assert minor_of(older) < minor_of(policy) == 9


def test_a_replay_has_no_more_work_than_waited(tmp_path):
    policy = compiled(tmp_path)
    found = recorded_periods(policy.shares, held_out(tmp_path, policy)).outcome
    lacks = [(step + 1) % 10 >= 6 for step in range(1, 120)]
    assert found.throughput[0][lacks] == pytest.approx(2.0)
    assert not found.is_capped.any()
    assert found.ran_out[0][lacks].all()


def test_a_machine_that_does_all_its_work_is_at_its_target(tmp_path):
    policy = compiled(tmp_path)
    verdict = verify_throughput(policy, held_out(tmp_path, policy), VerifyOptions(replicates=60))
    assert verdict.ruling is Ruling.PASS
    blind = compiled(tmp_path, waiting="")
    verdict = verify_throughput(blind, held_out(tmp_path, blind), VerifyOptions(replicates=60))
    assert verdict.ruling is Ruling.FAIL


def test_a_machine_that_seldom_had_work_has_no_model(tmp_path):
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, lacks_work=lambda step: step > 6)
    (finding,) = refused.value.findings
    assert finding.code is Code.BAD_MODEL
    assert "5 steps were measured with requests that wait, and a model needs 8" in finding.message
