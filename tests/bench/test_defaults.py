"""Benches of default policies: the smallest cell of each."""

from __future__ import annotations

import numpy as np
import pytest

from bench import default_cells, defaults, kind_defaults, public_data, share_defaults
from bench.default_cells import Cell, samples
from tailc.experiment.options import VerifyOptions

FEW = VerifyOptions(requests_per_replay=1_000, repeats=2, seed=7)


def test_a_held_out_sample_is_no_part_of_the_design_sample():
    design_ms, apart_ms = samples("lognormal", 1, 50)
    assert len(design_ms) == 50
    assert not set(design_ms) & set(apart_ms)


def test_another_sample_of_a_law_has_other_requests():
    assert not set(samples("gamma", 1, 50)[0]) & set(samples("gamma", 2, 50)[0])


def test_halves_have_each_request_once():
    first, second = public_data.halves(np.arange(7.0), seed=2)
    assert len(first) == 3
    assert sorted([*first, *second]) == list(range(7))


def test_without_a_folder_of_traces_the_output_names_what_is_left_out(monkeypatch, capsys):
    monkeypatch.delenv("TAILC_DATA", raising=False)
    assert defaults.known_laws() == list(default_cells.LAWS)
    assert capsys.readouterr().out == f"public traces are left out: {public_data.MISSING}\n"


def test_with_a_folder_the_traces_come_after_the_laws(monkeypatch):
    monkeypatch.setenv("TAILC_DATA", "anywhere")
    assert defaults.known_laws() == [*default_cells.LAWS, *public_data.TRACES]


@pytest.mark.fuzz
def test_a_policy_is_compared_with_the_best_setting_by_hand_at_each_rate():
    cell = kind_defaults.Cell("constant", 1, 200, "elfen-1", "quick", FEW)
    rates, seconds = kind_defaults.cell_result(cell)
    assert len(rates) == len(kind_defaults.LOADS)
    assert any(one.change is not None and not one.is_missed for one in rates)
    assert seconds > 0
    assert "geometric mean" in kind_defaults.summary(rates)


def test_a_table_is_compared_with_fixed_degrees(monkeypatch):
    """Where threads gain nothing there is no search, and one thread is best."""
    monkeypatch.setattr(default_cells, "REQUESTS", 1_000)
    monkeypatch.setattr(default_cells, "REPLAYS", 2)
    found = default_cells.cell_result(Cell("lognormal", 1, 60, 2, "0%", "quick"))
    assert len(found.by_hindsight) == len(default_cells.LOADS)
    assert max(found.by_hindsight) < 0.02
    assert not any(found.overloaded)
    assert "geometric mean" in defaults.summary([found])


@pytest.mark.fuzz
def test_a_controller_is_compared_with_constant_shares():
    _, results = share_defaults.host_result("falling", 1)
    canneal, ferret = results
    assert canneal.own < canneal.by_hindsight / 2
    assert ferret.own < ferret.by_hindsight + 0.01
    assert all(one.by_hindsight <= one.by_design + 1e-3 for one in results)
    assert "geometric mean" in share_defaults.summary(results)
