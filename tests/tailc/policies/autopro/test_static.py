"""A compile says where a constant share is nearer to a target than the controller."""

from __future__ import annotations

import pytest

from tailc.errors import Code
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tests.tailc.policies.autopro.case import SPEC, write

JUDGED = Judging()


def warned(folder, control="", judging=JUDGED):
    case = write(folder)
    case.spec.write_text(f"{SPEC}{control}")
    found = compile_policy(str(case.spec), judging=judging).findings
    return [one.message for one in found if one.code is Code.BETTER_BY_HAND]


def test_each_machine_that_a_constant_share_keeps_nearer_is_named(tmp_path):
    """The model is exact and only noise disturbs it, which a fast controller follows in vain.

    At the target the encoder needs 20 (1 - 0.2) / 48 of the host, and the pricer 30 %.
    """
    encoder, pricer = warned(tmp_path)
    assert encoder.startswith("a constant share of 33.2 % keeps `encoder` nearer to its target")
    assert pricer.startswith("a constant share of 30 % keeps `pricer` nearer to its target")


@pytest.mark.parametrize("pole", [0.9, 0.95])
def test_a_slow_controller_is_as_good(tmp_path, pole):
    assert warned(tmp_path, f"control: {{pole: {pole}}}\n") == []


def test_nothing_is_replayed_where_no_estimate_is_asked_for(tmp_path):
    assert warned(tmp_path, judging=None) == []


def test_a_trace_that_is_too_short_to_replay_says_nothing(tmp_path):
    window = "control: {window: 300s}\n"
    assert warned(tmp_path, window) == []
