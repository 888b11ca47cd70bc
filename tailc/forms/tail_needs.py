"""Explain the frequency that a tail table chooses: the frequency that each queued request needs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.tail_table import PPM, QueuedRequests, TailTable, internal_bound_ns, row_at

# One kHz for one ns is a millionth of a cycle.
_PARTS_PER_CYCLE = 1_000_000


@dataclass(frozen=True)
class Need:
    """What the request at a queue position needs: a number of cycles within `slack_ns`.

    `frequency_khz` is their ratio, rounded up; None if no time remains.
    """

    position: int
    cycles: int
    slack_ns: int

    @property
    def frequency_khz(self) -> int | None:
        if self.slack_ns <= 0:
            return None
        return -(-self.cycles * _PARTS_PER_CYCLE // self.slack_ns)


def request_needs(
    table: TailTable, queued: QueuedRequests, scale_ppm: int = PPM
) -> tuple[Need, ...]:
    """For each request in a core's queue, the cycles until it ends and the time that remains.

    By a tail table, from which the core's frequency follows: `level_for` returns the lowest
    frequency that meets all of these needs. Empty if the queue is longer than the table's.
    scale_ppm: factor of the latency bound that a controller sets.
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


def binding_need(needed: tuple[Need, ...]) -> Need:
    """The need of a queued request that decides the frequency of its core.

    It is the first one without time left, else the one with the highest frequency.
    """
    return max(
        needed,
        key=lambda need: (need.frequency_khz is None, need.frequency_khz or 0, -need.position),
    )
