"""Sequences of measurements that controllers are stepped with, each with what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MS = 1_000
LARGEST = 2**53 - 1
SATURATING_US = 2**31 - 1 + 200 * MS


@dataclass(frozen=True)
class Sequence:
    """A name, a sentence, and a tail [us] with a rate [thousandths per second] for each step."""

    name: str
    sentence: str
    steps: tuple[tuple[int, int], ...]


def sequences_of(name: str) -> list[Sequence]:
    """The sequences for the policy called `name`."""
    return {
        "controller": _usual,
        "extremes": _extreme,
        "coarse": _coarse,
        "tails-trim": _bounds,
        "tails-extremes": _widest,
    }[name]()


def _usual() -> list[Sequence]:
    """For a target of 200 ms, gains for rates from 0, 50 and 70.001 a second, limits 0.05 and 1."""
    return [
        Sequence("steady", "A tail on its target moves nothing, at any rate.",
                 _at((200,) * 3, 10_000) + _at((200,) * 3, 90_000)),
        Sequence("first-steps", "The first error counts as those before it: no jump by kp and kd.",
                 _at((230, 230, 215, 190, 200), 80_000)),
        Sequence("step-up", "The load rises: the tail is 260 ms, and falls as the ages shrink.",
                 _at((200, 200, 260, 255, 240, 224, 211, 204, 200, 200), 60_000)),
        Sequence("step-down", "The load falls: after long tails come short ones.",
                 _at((300, 300, 280, 150, 150, 165, 180, 195, 200, 200), 30_000)),
        Sequence("clamp-low", "At the lower limit; all of the change that ends it counts.",
                 _at((900,) * 5 + (199, 199), 20_000)),
        Sequence("clamp-high", "At the upper limit; all of the change that ends it counts.",
                 _at((10,) * 5 + (201, 201), 20_000)),
        Sequence("gain-switch", "Other gains mid-way, at an error of 10 ms that stays, then at 0.",
                 _at((210, 210), 20_000) + _at((210, 210), 60_000) + _at((210, 210), 90_000)
                 + _at((200, 200), 90_000) + _at((200, 200), 20_000)),
        Sequence("boundary-rate", "A row of gains holds at its first rate, and not below it.",
                 tuple((205 * MS + number * MS, rate) for number, rate in
                       enumerate((0, 49_999, 50_000, 50_001, 70_000, 70_001, LARGEST)))),
        Sequence("saturated-error", "Errors beyond 2^31 - 1 us count as that, and are kept so.",
                 ((SATURATING_US - 1, 80_000), (SATURATING_US, 80_000), (SATURATING_US + 1, 80_000),
                  (LARGEST, 80_000), (0, 80_000), (0, 80_000), (200 * MS, 80_000))),
        Sequence("drawn", "Tails and rates drawn at random.", _drawn(1, 150, 400 * MS)),
    ]  # fmt: skip


def _extreme() -> list[Sequence]:
    """For gains at +-2^29 and a target of 2^31 - 1 us."""
    swing = ((0, 0), (LARGEST, 0), (0, 0), (LARGEST, 0), (LARGEST, 0), (0, 0), (0, 0))
    return [
        Sequence("swings", "The largest sums that a step can have: within 64 bits.", swing),
        Sequence("swings-back", "The same with gains of the other sign.",
                 tuple((tail_us, 1) for tail_us, _ in swing)),
        Sequence("drawn", "Tails and rates drawn at random.", _drawn(2, 60, 2**33)),
    ]  # fmt: skip


def _coarse() -> list[Sequence]:
    """For 21 fraction bits and ki 1: an error of 1 us moves the output by 2^-21."""
    return [
        Sequence("halves", "Millionths are rounded to the nearest, a half goes up: 0.0078125.",
                 ((200 * MS - 2**14 + 1, 0), (200 * MS - 1, 0), (200 * MS - 1, 0))),
        Sequence("drawn", "Tails and rates drawn at random.", _drawn(3, 60, 400 * MS)),
    ]  # fmt: skip


def _bounds() -> list[Sequence]:
    """For a target of 600 us, gains for rates from 0 and 500 a second, limits 0.5 and 1.5."""
    return [
        Sequence("short-tails", "Tails below the bound raise it, until frequencies are low enough.",
                 tuple((tail_us, 100_000) for tail_us in (400, 420, 450, 490, 540, 590, 600, 600))),
        Sequence("long-tails", "A burst: tails beyond the bound lower it, and frequencies rise.",
                 tuple((tail_us, 700_000) for tail_us in (600, 900, 1_400, 1_300, 900, 640, 600))),
        Sequence("limits", "Half and one and a half of the bound, and back from both.",
                 ((9_000, 0),) * 2 + ((500, 0),) + ((0, 0),) * 4 + ((700, 600_000),)),
        Sequence("drawn", "Tails and rates drawn at random.", _drawn(4, 80, 1_200)),
    ]  # fmt: skip


def _widest() -> list[Sequence]:
    """For 21 fraction bits and ki 1, outputs from 0 to 2."""
    return [
        Sequence("to-nothing", "The output falls to 0: every queue runs at the highest level.",
                 ((LARGEST, 0), (LARGEST, 0), (2**31 - 1, 0), (2**31 - 2, 0))),
        Sequence("to-twice", "The output rises from 0 to 2.",
                 ((LARGEST, 0), (2**31 - 1 - 2**20, 0), (2**31 - 1 - 2**21, 0), (0, 0))),
    ]  # fmt: skip


def _at(tails_ms: tuple[int, ...], rate_mrps: int) -> tuple[tuple[int, int], ...]:
    return tuple((tail_ms * MS, rate_mrps) for tail_ms in tails_ms)


def _drawn(seed: int, count: int, longest_us: int) -> tuple[tuple[int, int], ...]:
    rng = Random(seed)
    return tuple((rng.randrange(longest_us), rng.randrange(100_000)) for _ in range(count))
