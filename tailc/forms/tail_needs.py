"""Why a core runs at a level: the frequency that each request it holds needs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.tail_table import PPM, Queued, TailTable, internal_bound_ns, row_at

# One kHz for one ns is a millionth of a cycle.
_PARTS_PER_CYCLE = 1_000_000


@dataclass(frozen=True)
class Need:
    """What request number `position` needs: so many cycles in `slack_ns`.

    `frequency_khz` is rounded up; None where no time is left.
    """

    position: int
    cycles: int
    slack_ns: int

    @property
    def frequency_khz(self) -> int | None:
        if self.slack_ns <= 0:
            return None
        return -(-self.cycles * _PARTS_PER_CYCLE // self.slack_ns)


def needs(table: TailTable, queued: Queued, scale_ppm: int = PPM) -> tuple[Need, ...]:
    """One for each request that the core holds; none where it holds more than there are positions.

    The level of `level_for` is the lowest whose frequency is none of these's less.
    """
    if len(queued.ages_ns) > table.positions:
        return ()
    cycles = row_at(table.cycles, queued.elapsed_cycles)
    memory = row_at(table.memory_ns, queued.elapsed_memory_ns)
    bound_ns = internal_bound_ns(table, scale_ppm)
    return tuple(
        Need(position, cycles.left[position], bound_ns - age_ns - memory.left[position])
        for position, age_ns in enumerate(queued.ages_ns)
    )


def binding(needed: tuple[Need, ...]) -> Need:
    """The first that has no time left, else the first that needs most."""
    return max(
        needed,
        key=lambda need: (need.frequency_khz is None, need.frequency_khz or 0, -need.position),
    )
