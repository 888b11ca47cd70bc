"""Sequences of measured throughput that forms of shares are stepped with, with what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from plain_shares import begin, cannot_meet, tick

MILLION = 1_000_000
SHARE_COLUMNS = (
    *("sequence", "tick", "throughput", "waiting", "granted_ppm"),
    *("a", "b", "believed_a", "believed_b", "short_steps", "cap_ppm", "cannot_meet"),
)
# (tick, target, share now) to throughput [work/s].
Plant = Callable[[int, float, float], float]
# tick to the requests of each machine that wait.
Queues = Callable[[int], tuple[int, ...]]


@dataclass(frozen=True)
class ShareSequence:
    """A name, a sentence, the number of ticks, what machines get done, and the requests that wait,
    where that is reported.
    """

    name: str
    sentence: str
    ticks: int
    plant: Plant
    queues: Queues | None = None


def share_sequences(name: str) -> list[ShareSequence]:
    """The sequences for the policy called `name`."""
    return {"shares": _usual, "shares-observer": _observer, "shares-cap": _capped,
            "shares-cap-settling": _settling}[name]()  # fmt: skip


def rows_of_shares(shares: dict[str, Any], sequence: ShareSequence) -> list[list[Any]]:
    """A line before the first tick and one after each; parts of a cell are by machine, doubles as
    their shortest text that is read back to the same double.
    """
    state = begin(shares)
    served = [place for place, m in enumerate(shares["machines"]) if "target_milli" in m]
    rows = [_row(shares, sequence, state, (), ())]
    for number in range(1, sequence.ticks + 1):
        throughput = tuple(
            sequence.plant(number, one["target"], state["grants"][place] / MILLION)
            for place, one in zip(served, state["machines"], strict=True)
        )
        waiting = sequence.queues(number) if sequence.queues else ()
        tick(shares, state, throughput, waiting or None)
        rows.append(_row(shares, sequence, state, throughput, waiting))
    return rows


def _row(
    shares: dict[str, Any],
    sequence: ShareSequence,
    state: dict[str, Any],
    throughput: tuple[float, ...],
    waiting: tuple[int, ...],
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
        _cell(map(str, waiting)),
        _cell(map(str, state["grants"])),
        *(_cell(map(repr, values)) for values in doubles),
        _cell(str(one["short"]) for one in machines),
        _cell(str(one["cap"]) for one in machines),
        _cell(str(int(named)) for named in cannot_meet(shares, state)),
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
        ShareSequence("reported", "The first has no work at times, which is reported.",
                      150, _worked(lambda number: 0.3 if 40 < number <= 100 else 9.0),
                      lambda number: (0 if 40 < number <= 100 else 3, 1)),
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


def _capped() -> list[ShareSequence]:
    """For two machines with targets of 500 and 3,290 a second, steps every 3 ticks."""
    return [
        ShareSequence("too-little-work", "The first has work for two fifths of its target.",
                      150, _worked(lambda _number: 0.4)),
        ShareSequence("dead", "The first does nothing from tick 30 on.",
                      150, _worked(lambda number: 9.0 if number < 30 else 0.0)),
        ShareSequence("work-returns", "The first has no work up to tick 60.",
                      180, _worked(lambda number: 0.0 if number < 60 else 9.0)),
        ShareSequence("two-without-work", "No machine has work for its target.",
                      150, lambda _number, target, share: min(_rate(target, share), 0.3 * target)),
        ShareSequence("nearly-enough", "The first has work for nine tenths of its target.",
                      240, _worked(lambda _number: 0.9, 4)),
        ShareSequence("hard-work", "The first needs more than the host, and gets no cap.",
                      150, lambda _number, target, share:
                      _rate(target, share) * (0.2 if target == 500.0 else 1.0)),
        ShareSequence("reported", "Work that waits, and none, is reported, and ends a cap.",
                      150, _worked(lambda _number: 0.2),
                      lambda number: (1 if number < 75 or number % 2 else 0, 1)),
    ]  # fmt: skip


def _settling() -> list[ShareSequence]:
    """For the same machines, steps every 2 ticks, windows of 5."""
    return [
        ShareSequence("too-little-work", "The first has work for two fifths of its target.",
                      90, _worked(lambda _number: 0.4)),
        ShareSequence("work-returns", "The first has no work up to tick 60.",
                      120, _worked(lambda number: 0.0 if number < 60 else 9.0)),
        ShareSequence("hard-work", "The first needs more than the host.",
                      90, lambda _number, target, share:
                      _rate(target, share) * (0.2 if target == 500.0 else 1.0)),
        ShareSequence("reported", "Work of the second is reported once.",
                      60, _worked(lambda _number: 0.4), lambda number: (2, int(number != 31))),
    ]  # fmt: skip


def _worked(offered: Callable[[int], float], seed: int | None = None) -> Plant:
    """The machine with the target of 500 or 30 has that much work for its target at most."""
    rng = None if seed is None else Random(seed)

    def plant(number: int, target: float, share: float) -> float:
        noise = rng.random() / 16 if rng else 0.0
        most = offered(number) if target in (500.0, 30.0) else 9.0
        return min(_rate(target, share), (most + noise) * target)

    return plant


def _rate(target: float, share: float) -> float:
    return {500.0: 1_864.0, 3_290.0: 13_000.0}.get(target, 4.0 * target) * share
