"""Ask a policy random questions: `python -m tailc_runtime.differential POLICY SEED COUNT`.

Prints a checksum of all answers after every 4,096 questions and at the end. The runtimes of other
languages do the same, so equal lines mean equal answers.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

from tailc_runtime.budget_table import BudgetTable
from tailc_runtime.controller import Controller
from tailc_runtime.flat_form import read_flat, unseal
from tailc_runtime.opening import open_any, open_plan
from tailc_runtime.plan import Plan
from tailc_runtime.plan_pricing import Quote
from tailc_runtime.raw import (
    RawController,
    RawForm,
    RawLadder,
    RawSpan,
    RawTailTable,
    RungSetting,
)
from tailc_runtime.shares import Shares
from tailc_runtime.table import PolicyTable
from tailc_runtime.tail_table import TailTable

_STRETCH = 4_096
# Questions between two steps of a controller.
_EPOCH = 1_024
# So many questions are for one plan as it was opened: it fills up.
_SPELL = 128
_64_BITS = (1 << 64) - 1
_LANES = {None: 0, "shared": 1, "alone": 2}
_BITS_OF = struct.Struct("<d"), struct.Struct("<q")

_ADMITTED, _REFUSED, _NO_ROOM, _INVALID, _NOT_QUOTED, _NOT_TAKEN = 0, 1, 2, 3, 8, 9

# The numbers that the answer to the question of that number is folded as.
Question = Callable[[int], list[int]]
# A whole number from 0 to below its argument.
Below = Callable[[int], int]


def checksums(policy: Path, seed: int, count: int) -> list[int]:
    """Checksum after each block of questions, and after the last one."""
    ask = _question(policy, draws(seed))
    found: list[int] = []
    checksum = 0xCBF29CE484222325
    for number in range(count):
        for value in ask(number):
            checksum = ((checksum ^ (value & _64_BITS)) * 0x100000001B3) & _64_BITS
        if (number + 1) % _STRETCH == 0 or number + 1 == count:
            found.append(checksum)
    return found


def draws(seed: int) -> Below:
    """Random numbers by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state = seed

    def below(count: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & _64_BITS
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64_BITS
        return (z ^ (z >> 31)) % count

    return below


def _question(policy: Path, below: Below) -> Question:
    _, forms = read_flat(unseal(policy.read_bytes()))
    opened = open_any(policy)
    if isinstance(opened, Shares):
        return _ticks(opened, below)
    if isinstance(opened, Plan):
        return _PlanQuestions(policy, below).ask
    if isinstance(opened, BudgetTable):
        return _budgets(opened, below)
    if isinstance(opened, TailTable):
        return _steered(opened.controller, forms, below, _levels(opened, forms, below))
    tables = list(opened.values())
    return _steered(tables[0].controller, forms, below, _lookups(tables, forms, below))


def _budgets(table: BudgetTable, below: Below) -> Question:
    most = 2 * table.max_sequences, 2 * table.kv_blocks * table.block_tokens

    def ask(_: int) -> list[int]:
        return [*table.lookup(*map(below, most))]

    return ask


def _steered(
    controller: Controller | None, forms: list[RawForm], below: Below, ask: Question
) -> Question:
    """The same questions, with a step of the controller at regular intervals."""
    if controller is None:
        return ask
    last_rate_mrps = next(f for f in forms if isinstance(f, RawController)).gains[-1][0]

    def stepped(number: int) -> list[int]:
        if number % _EPOCH:
            return ask(number)
        measured_us, rate_mrps = below(3 * controller.target_us), below(2 * last_rate_mrps + 2)
        return [controller.step(measured_us, rate_mrps), *ask(number)]

    return stepped


def _lookups(tables: list[PolicyTable], forms: list[RawForm], below: Below) -> Question:
    most = [
        (
            ladder.max_load + 2,
            2 * max(row.delay_us for row in ladder.rows) + 2,
            2 * max(row.ages_us[-1] for row in ladder.rows) + 2,
        )
        for ladder in forms
        if isinstance(ladder, RawLadder)
    ]

    def ask(_: int) -> list[int]:
        which = below(len(tables))
        loads, waited_us, executed_us = most[which]
        table = tables[which]
        answer = table.lookup(below(loads), below(waited_us), below(executed_us))
        return [*answer, *_setting(table.settings[answer[2]])]

    return ask


def _setting(rung: RungSetting) -> list[int]:
    return [
        rung.speed_ppm,
        rung.threads or 0,
        rung.frequency_khz or 0,
        len((rung.core_type or "").encode()),
        _LANES[rung.lane],
        rung.one_thread_ppm or 0,
    ]


def _levels(table: TailTable, forms: list[RawForm], below: Below) -> Question:
    raw = next(form for form in forms if isinstance(form, RawTailTable))
    cycles, bound_ns = 2 * raw.cycles[-1].from_elapsed + 2, table.bound_us * 1_000

    def ask(_: int) -> list[int]:
        ages_ns: list[int] = []
        oldest_ns = 2 * bound_ns
        for _position in range(1 + below(table.positions + 1)):
            oldest_ns = below(oldest_ns + 1)
            ages_ns.append(oldest_ns)
        return [table.frequency_khz(ages_ns, below(cycles), below(bound_ns + 1))]

    return ask


def _ticks(shares: Shares, below: Below) -> Question:
    def bits_of(value: float) -> int:
        double, whole = _BITS_OF
        return whole.unpack(double.pack(value))[0]

    def ask(_: int) -> list[int]:
        throughput = [below(1_000_000) / 1_000 for _one in shares.served]
        # Nothing waits once in a while: most windows stay without such a tick.
        granted_ppm = shares.tick(throughput, [below(64) for _one in shares.served])
        estimates = [bits_of(value) for one in shares.served for value in (one.a, one.b)]
        return [*granted_ppm, *estimates]

    return ask


class _PlanQuestions:
    """Questions to a plan, and the jobs that it has admitted, in order."""

    def __init__(self, policy: Path, below: Below) -> None:
        self._policy = policy
        self._below = below
        self._plan = open_plan(policy)
        self._admitted: list[str] = []
        self._largest = max(pool.servers for pool in self._plan.pools)

    def ask(self, number: int) -> list[int]:
        if number % _SPELL == 0:
            self._plan, self._admitted = open_plan(self._policy), []
        below = self._below
        what, first_epoch = below(8), below(len(self._plan.epochs) + 2)
        job = (first_epoch, 1 + below(8), 1 + below(self._largest + 2))
        green_ppm = below(1_000_001)
        if what == 6:
            return self._release(first_epoch)
        try:
            if what == 7:
                return self._take(f"t{number}", job)
            if self._plan.malleable is not None:
                return [_NOT_QUOTED]
            if what < 4:
                return _folded(self._plan.quote(*job, green_ppm))
            return self._admit(f"q{number}", job, green_ppm)
        except ValueError:
            return [_INVALID]

    def _admit(self, name: str, job: tuple[int, int, int], green_ppm: int) -> list[int]:
        told = self._plan.admit(name, *job, green_ppm)
        if told.is_admitted:
            self._admitted.append(name)
        return _folded(told) + _places(told.places or ())

    def _release(self, epoch: int) -> list[int]:
        if not self._admitted:
            return [0]
        self._plan.release(self._admitted.pop(), epoch)
        return [1]

    def _take(self, name: str, job: tuple[int, int, int]) -> list[int]:
        if self._plan.malleable is None:
            return [_NOT_TAKEN]
        places = self._plan.take(name, *job)
        return [0] if places is None else [1, *_places(places)]


def _folded(told: Quote) -> list[int]:
    answer = _ADMITTED if told.is_admitted else _NO_ROOM if told.places is None else _REFUSED
    return [answer, told.pays_udollars, told.worth_udollars, told.green_slots]


def _places(spans: tuple[RawSpan, ...]) -> list[int]:
    return [
        value
        for span in spans
        for value in (span.first_epoch, span.pool, span.epochs, span.servers)
    ]


def main(arguments: list[str]) -> int:
    """Ask the questions, and print the checksums; exit status 64 for wrong usage."""
    if len(arguments) != 3 or not all(text.isascii() and text.isdigit() for text in arguments[1:]):
        print("usage: python -m tailc_runtime.differential POLICY SEED COUNT", file=sys.stderr)
        return 64
    policy, seed, count = arguments
    for checksum in checksums(Path(policy), int(seed), int(count)):
        print(f"{checksum:016x}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
