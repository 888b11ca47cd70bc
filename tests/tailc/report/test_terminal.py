"""Pictures in plain characters: each stands for what a look-up or a quantile says."""

from __future__ import annotations

import pytest

from tailc.report.page.spectra import Spectrum
from tailc.report.terminal import NARROWEST, WIDEST, map_text, spectrum_text
from tailc.specs.slo import Slo
from tailc.verify.pictured import Quantile
from tests.tailc.replay.servers import at_once, ladder
from tests.tailc.report.page.pages_made import LADDER

# Shown up to 25 ms: the climb at 20 ms is after 12.8 of 16 lines.
TWO = ladder(at_once((0, 0), (20, 1)), rungs=2)
SPECTRUM = (
    Quantile(0, 1_000, None, None),
    Quantile(900_000, 10_000, 8_000, 12_500),
    Quantile(990_000, 100_000, 50_000, None),
)


def framed(text):
    return [line.partition("|")[2] for line in text.splitlines() if line[8:9] == "|"]


def test_a_map_has_the_rung_of_each_load_and_age():
    rows = framed(map_text(TWO, 49))
    assert rows == ["2" * 40] * 3 + ["1" * 40] * 13
    assert map_text(TWO, 49).splitlines()[-1] == "1 d1  2 d2"


def test_how_requests_start_stands_above_where_some_wait():
    head, strip, *_ = map_text(LADDER, 80).splitlines()
    assert head == "requests start: . at once, d after a delay, x at an exit"
    # Loads 1 to 6, each as wide: up to 2 at once, 3 and 4 after a delay, then at an exit.
    counts = [strip.count(mark) for mark in ".dx"]
    assert counts == pytest.approx([71 / 3] * 3, abs=1.5)
    assert "requests start" not in map_text(TWO, 80)


@pytest.mark.parametrize(("width", "columns"), [(10, NARROWEST), (66, 66), (500, WIDEST)])
def test_no_line_is_wider_than_the_terminal_or_than_can_be_read(width, columns):
    spectra = [Spectrum("policy", "t0", SPECTRUM)]
    slos = [Slo(990_000, 150_000)]
    for text in (map_text(TWO, width), spectrum_text("Latency", spectra, slos, width)):
        axes = [line for line in text.splitlines() if line.startswith("        +")]
        assert [len(line) for line in axes] == [columns]
        assert text.isascii()


def test_a_spectrum_rises_from_end_to_end_with_its_interval_and_objective():
    spectra = [Spectrum("policy", "t0", SPECTRUM), Spectrum("SEQ", "t1", SPECTRUM[:2])]
    text = spectrum_text("Latency", spectra, [Slo(900_000, 20_000)], 49)
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
