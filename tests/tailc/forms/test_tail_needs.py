"""Needs against the reference that chooses the level, on tables and queues drawn at random."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.forms.tail_needs import binding_need, request_needs
from tailc.forms.tail_table import Level, QueuedRequests, Sleep, TailRow, TailTable, level_for


@st.composite
def tables(draw):
    positions = draw(st.integers(1, 4))

    def rows(most):
        begins = sorted(draw(st.sets(st.integers(1, most), max_size=2)) | {0})
        entries = st.lists(st.integers(0, most), min_size=positions, max_size=positions)
        return tuple(TailRow(begin, tuple(sorted(draw(entries)))) for begin in begins)

    frequencies = sorted(draw(st.sets(st.integers(1, 4_000_000), min_size=1, max_size=5)))
    levels = tuple(Level(khz, 1) for khz in frequencies)
    return TailTable(950_000, 3_000, levels, rows(5_000_000), rows(2_000_000), Sleep(0, 0), 1)


QUEUES = st.builds(
    QueuedRequests,
    st.lists(st.integers(0, 4_000_000), min_size=1, max_size=5).map(tuple),
    st.integers(0, 6_000_000),
    st.integers(0, 3_000_000),
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(tables(), QUEUES, st.integers(500_000, 1_500_000))
def test_the_level_is_the_lowest_that_is_no_less_than_any_need(table, queued, scale_ppm):
    level = level_for(table, queued, scale_ppm)
    needed = request_needs(table, queued, scale_ppm)
    top = len(table.levels) - 1
    if not needed:
        assert level == top
        return
    most = binding_need(needed).frequency_khz
    enough = [at for at, each in enumerate(table.levels) if most and each.frequency_khz >= most]
    if most == 0:
        assert level == 0
    else:
        assert level == (enough[0] if enough else top)


def test_the_first_of_equal_needs_binds():
    table = TailTable(
        950_000, 3_000, (Level(1, 1),), (TailRow(0, (5, 5)),), (TailRow(0, (0, 0)),), Sleep(0, 0), 1
    )
    for ages in itertools.product((0, 3_000_000), repeat=2):
        found = binding_need(request_needs(table, QueuedRequests(ages)))
        # An age of the whole bound leaves no time, and that binds before any frequency.
        assert found.position == (1 if ages == (0, 3_000_000) else 0)
