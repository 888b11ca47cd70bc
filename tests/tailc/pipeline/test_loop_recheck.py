"""A loop that python-control sees otherwise is not emitted."""

from dataclasses import replace

import pytest
from tailc_solvers.control.margins import loop_margins
from tailc_solvers.control.plant import lag

import tailc.studies.tune_pid as room
from tailc.errors import Code, TailcError
from tailc.pipeline.loop_recheck import check_loop

PLANT, GAINS = lag(1.0, [1.0], 1.0), (0.5, 0.5, 0.0)


def test_figures_pass_within_the_tolerance_and_not_beyond_it():
    """The phase margin may differ by 0.5 degrees."""
    found = loop_margins(PLANT, *GAINS)
    phase_deg = found.robustness.phase_margin_deg
    assert phase_deg is not None
    for error_deg, differs in ((0.0, False), (0.4, False), (0.6, True)):
        robust = replace(found.robustness, phase_margin_deg=phase_deg + error_deg)
        assert is_refused(replace(found, robustness=robust)) is differs, error_deg


def is_refused(margins):
    try:
        check_loop(PLANT, GAINS, margins)
    except TailcError as error:
        return error.findings[0].code is Code.LOOP_DIFFERS
    return False


def test_a_difference_names_the_figure_both_values_and_the_tolerance():
    found = loop_margins(PLANT, *GAINS)
    wrong = replace(found, robustness=replace(found.robustness, phase_margin_deg=90.0))
    with pytest.raises(TailcError) as refused:
        check_loop(PLANT, GAINS, wrong)
    (finding,) = refused.value.findings
    assert finding.code is Code.LOOP_DIFFERS
    assert "the phase margin of a loop is 90, but python-control computes 61" in finding.message
    assert "the tolerance is 0.5" in finding.message


def test_tune_pid_emits_no_loop_that_differs(tailc, monkeypatch):
    def wrong(*_):
        gains, margins = tuned(*_)
        robust = replace(margins.robustness, max_sensitivity=1.0)
        return gains, replace(margins, robustness=robust)

    tuned = room.tune
    monkeypatch.setattr(room, "tune", wrong)
    ended = tailc("tune", "pid", "--num", "1", "--den", "1 1", "--dead-time", "1")
    assert (ended.code, ended.out) == (70, "")
    assert "error[TC0902]: the maximum sensitivity" in ended.err
