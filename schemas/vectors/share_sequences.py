"""Sequences of measured throughput that forms of shares are stepped with, with what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from plain_shares import begin, tick

MILLION = 1_000_000
SHARE_COLUMNS = (
    *("sequence", "tick", "throughput", "granted_ppm"),
    *("a", "b", "believed_a", "believed_b", "short_steps"),
)
# (tick, target, share now) to throughput [work/s].
Plant = Callable[[int, float, float], float]


@dataclass(frozen=True)
class ShareSequence:
    """A name, a sentence, the number of ticks, and what machines get done."""

    name: str
    sentence: str
    ticks: int
    plant: Plant


def share_sequences(name: str) -> list[ShareSequence]:
    """The sequences for the policy called `name`."""
    return {"shares": _usual, "shares-observer": _observer}[name]()


def rows_of_shares(shares: dict[str, Any], sequence: ShareSequence) -> list[list[Any]]:
    """A line before the first tick and one after each; parts of a cell are by machine, doubles as
    their shortest text that is read back to the same double.
    """
    state = begin(shares)
    served = [place for place, m in enumerate(shares["machines"]) if "target_milli" in m]
    rows = [_row(sequence, state, ())]
    for number in range(1, sequence.ticks + 1):
        throughput = tuple(
            sequence.plant(number, one["target"], state["grants"][place] / MILLION)
            for place, one in zip(served, state["machines"], strict=True)
        )
        tick(shares, state, throughput)
        rows.append(_row(sequence, state, throughput))
    return rows


def _row(
    sequence: ShareSequence, state: dict[str, Any], throughput: tuple[float, ...]
) -> list[Any]:
    machines = state["machines"]
    doubles = (
        [one["a"] for one in machines],
        [one["b"] for one in machines],
        [one["believed"][0] for one in machines],
        [one["believed"][1] for one in machines],
    )
    return [
        sequence.name,
        state["ticks"],
        _cell(map(repr, throughput)),
        _cell(map(str, state["grants"])),
        *(_cell(map(repr, values)) for values in doubles),
        _cell(str(one["short"]) for one in machines),
    ]


def _cell(parts: Any) -> str:
    return " ".join(parts)


def _usual() -> list[ShareSequence]:
    """For two machines with targets of 30 and 12.5 a second, steps every 15 ticks."""
    return [
        ShareSequence("follow", "Throughput as the share has it, with noise: estimates settle.",
                      150, _noisy(1, 2.5)),
        ShareSequence("too-little", "Half of the work for a share: all is cut, steps are short.",
                      120, _noisy(2, 1.1)),
        ShareSequence("silence", "Nothing is done: the model is not believed any more.",
                      60, lambda _number, _target, _share: 0.0),
        ShareSequence("absurd", "More than a thousand times the target counts as that.",
                      60, lambda number, target, _share: 1e308 if number % 7 else target),
        ShareSequence("runaway", "Throughput that doubles, whatever the share is: a is 1 or more.",
                      75, lambda number, target, _share: target * (1 << number // 15) / 8),
    ]  # fmt: skip


def _observer() -> list[ShareSequence]:
    """For one machine with the largest target, a step at each tick."""
    return [
        ShareSequence("follow", "Throughput as the share has it, with noise.", 60, _noisy(3, 1.5)),
        ShareSequence("phases", "Another amount of work for a share from tick 20 on.",
                      60, lambda number, target, share:
                      target * share * (1.5 if number < 20 else 0.75)),
    ]  # fmt: skip


def _noisy(seed: int, per_share: float) -> Plant:
    rng = Random(seed)
    return lambda _number, target, share: target * (per_share * share + (rng.random() - 0.5) / 16)
