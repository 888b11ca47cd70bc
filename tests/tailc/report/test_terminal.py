"""Pictures in plain characters: each stands for what a look-up or a quantile says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tailc.experiment.quantile import Quantile
from tailc.forms.ladder.table import Guard, LoadAxis
from tailc.report.pictures.spectra import Spectrum
from tailc.report.terminal.frame import NARROWEST, WIDEST
from tailc.report.terminal.look import FINE_MARKS, TerminalStyle
from tailc.report.terminal.maps import change_text, map_text
from tailc.report.terminal.spectra import spectrum_text
from tailc.specs.slo import Slo
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.report.page.pages_made import LADDER

# Shown up to 25 ms: the climb at 20 ms is after 12.8 of 16 lines.
TWO = ladder(at_once((0, 0), (20, 1)), rungs=2)
SPECTRUM = (
    Quantile(0, 1_000, None, None),
    Quantile(900_000, 10_000, 8_000, 12_500),
    Quantile(990_000, 100_000, 50_000, None),
)


# The first rung alone, and up to 25 ms a climb at 10 ms to the second, at 20 ms to the third.
ONE, THREE = ladder(at_once((0, 0)), rungs=3), ladder(at_once((0, 0), (10, 1), (20, 2)), rungs=3)


def framed(text):
    return [line.partition("|")[2] for line in text.splitlines() if line[8:9] == "|"]


def test_a_map_has_the_rung_of_each_load_and_age():
    rows = framed(map_text(TWO, TerminalStyle(49)))
    assert rows == ["2" * 40] * 3 + ["1" * 40] * 13
    assert map_text(TWO, TerminalStyle(49)).splitlines()[-1] == "1 d1  2 d2"


def test_a_legend_has_as_many_lines_as_the_width_asks_for():
    entries = [("1", "one"), ("2", "two"), ("3", "three")]
    assert TerminalStyle(12).legend(entries, {}) == "1 one  2 two\n3 three"
    assert TerminalStyle(11).legend(entries, {}) == "1 one\n2 two\n3 three"
    assert TerminalStyle(21).legend(entries, {}) == "1 one  2 two  3 three"


def test_how_requests_start_stands_above_where_some_wait():
    head, strip, *_ = map_text(LADDER, TerminalStyle(80)).splitlines()
    assert head == "requests start: . at once, d after a delay, x at an exit"
    # Loads 1 to 6, each as wide: up to 2 at once, 3 and 4 after a delay, then at an exit.
    counts = [strip.count(mark) for mark in ".dx"]
    assert counts == pytest.approx([71 / 3] * 3, abs=1.5)
    assert "requests start" not in map_text(TWO, TerminalStyle(80))


@pytest.mark.parametrize(("width", "columns"), [(10, NARROWEST), (66, 66), (500, WIDEST)])
def test_no_line_is_wider_than_the_terminal_or_than_can_be_read(width, columns):
    spectra = [Spectrum("policy", "t0", SPECTRUM)]
    slos = [Slo(990_000, 150_000)]
    for text in (
        map_text(TWO, TerminalStyle(width)),
        change_text(TWO, LADDER, TerminalStyle(width)),
        spectrum_text("Latency", spectra, slos, TerminalStyle(width)),
    ):
        assert text is not None
        axes = [line for line in text.splitlines() if line.startswith("        +")]
        assert [len(line) for line in axes] == [columns]
        assert text.isascii()


def test_a_spectrum_rises_from_end_to_end_with_its_interval_and_objective():
    spectra = [Spectrum("policy", "t0", SPECTRUM), Spectrum("SEQ", "t1", SPECTRUM[:2])]
    text = spectrum_text("Latency", spectra, [Slo(900_000, 20_000)], TerminalStyle(49))
    rows = framed(text)
    marked = {row.index("*"): line for line, row in enumerate(rows) if "*" in row}
    lines = [marked[column] for column in sorted(marked)]
    assert lines == sorted(lines, reverse=True)
    # 1 ms is on the lowest line and 100 ms on the highest: the two nines take half the width each.
    assert (lines[0], lines[-1]) == (15, 0)
    (objective,) = [row for row in rows if "---" in row]
    assert objective.rstrip().rindex("-") <= 20
    assert any("|" in row for row in rows)
    assert text.splitlines()[-1] == "* policy  o SEQ  | 95 % interval  - objective"


def test_the_map_of_a_change_says_who_runs_higher_or_lower():
    # Ages are shown up to 25 ms: of 16 lines the middles of 6 are below 10 ms, of 7 below 20 ms.
    up, down = (
        change_text(ONE, THREE, TerminalStyle(49)),
        change_text(THREE, ONE, TerminalStyle(49)),
    )
    assert up is not None
    assert down is not None
    assert framed(up) == ["A" * 40] * 3 + ["^" * 40] * 7 + ["." * 40] * 6
    assert framed(down) == ["V" * 40] * 3 + ["v" * 40] * 7 + ["." * 40] * 6
    assert up.splitlines()[-1] == ". as before  ^ 1 rung higher  A more rungs higher"


def test_ladders_that_count_load_otherwise_have_no_map_of_the_change():
    by_rate = replace(ONE, load_axis=LoadAxis.RATE, guard=Guard(0, 1_000))
    assert change_text(ONE, by_rate, TerminalStyle()) is None


def test_a_rung_that_only_one_ladder_has_is_neither_higher_nor_lower():
    other = replace(ONE, rungs=(*ONE.rungs[:2], replace(ONE.rungs[2], name="turbo")))
    before = replace(ladder(at_once((0, 2)), rungs=3), rungs=other.rungs)
    text = change_text(before, ONE, TerminalStyle(49))
    assert text is not None
    assert set("".join(framed(text))) == {"?"}
    assert text.splitlines()[-1] == "? a rung that only one has"


def test_colours_and_finer_marks_change_nothing_else():
    spectra = [Spectrum("policy", "t0", SPECTRUM), Spectrum("SEQ", "t1", SPECTRUM[:2])]
    for draw in (
        lambda look: map_text(LADDER, look),
        lambda look: change_text(ONE, THREE, look) or "",
        lambda look: spectrum_text("Latency", spectra, [Slo(900_000, 20_000)], look),
    ):
        plain, coloured = draw(TerminalStyle(60)), draw(TerminalStyle(60, has_colours=True))
        fine = draw(TerminalStyle(60, has_fine_marks=True))
        assert "\x1b[" not in plain + fine
        assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b[") > 2
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
        assert plain.isascii()
        assert set(fine) - set(plain) <= set(FINE_MARKS)
        assert [len(line) for line in fine.splitlines()] == [len(one) for one in plain.splitlines()]


def test_more_rungs_than_marks_share_the_last():
    many = ladder(at_once((0, 0), (20, 39)), rungs=40)
    text = map_text(many, TerminalStyle(49))
    assert framed(text)[0] == "z" * 40
    assert "v d31" in map_text(many, TerminalStyle(49, has_fine_marks=True))
    assert text.endswith("z d35 and faster")
