"""The state of a plan in force, which `tailc replan` continues from.

A runtime knows what really happened: which jobs run, where, and what they have received. It writes
the state at the boundary of two epochs as JSON or as a FlatBuffer; `tailc` reads both.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailc_runtime.errors import BadMeaning, BadStructure
from tailc_runtime.members import objects, refuse_others, whole, wholes
from tailc_runtime.members import text as text_in
from tailc_runtime.members import texts as texts_in

KIND, VERSION, IDENTIFIER = "plan-state", 1, b"TLS1"
_LATEST_UNIX_S, _MOST_SERVERS, _LARGEST = 253_402_300_799, 2**20, 2**53 - 1
_JOB = ("name", "begun_unix_s", "servers", "ran_s", "green_slots", "machines")
_RAN = ("servers", "seconds")
_STATE = (
    *("kind", "version", "at_unix_s", "decided_unix_s", "servers"),
    *("running", "waiting", "refused", "asleep", "battery_mj"),
)


@dataclass(frozen=True)
class BegunJob:
    """A job that runs.

    begun_unix_s: its start; None: as its log says. servers: numbers of its servers, from 0, in
    ascending order. ran_s: pairs of a number of servers and the seconds on it, in ascending order.
    green_slots: server-epochs that it has received on the green bus. machines: virtual machines of
    a malleable job; None: as many as it requests.
    """

    name: str
    begun_unix_s: int | None
    servers: tuple[int, ...]
    ran_s: tuple[tuple[int, int], ...] = ()
    green_slots: int = 0
    machines: int | None = None

    def __post_init__(self) -> None:
        _check_name(self.name, "`name` of a job")
        ascending = bool(self.servers) and list(self.servers) == sorted(set(self.servers))
        held = ascending and self.servers[0] >= 0
        _require(held, "`servers` of a job must be numbers from 0 in ascending order, at least one")
        counts = [count for count, _ in self.ran_s]
        _require(counts == sorted(set(counts)), "`ran_s` must be in order of the number of servers")
        least = min((min(one) for one in self.ran_s), default=1)
        _require(least > 0, "`ran_s` must have at least one server and one second in each entry")
        longest_s = max((seconds for _, seconds in self.ran_s), default=0)
        most_s = f"`seconds` of `ran_s` must be at most {_LATEST_UNIX_S}"
        _require(longest_s <= _LATEST_UNIX_S, most_s)
        _require(self.green_slots >= 0, "`green_slots` of a job must not be negative")
        _require(self.machines is None or self.machines > 0, "`machines` must be at least 1")
        largest = max(*counts, self.green_slots, self.machines or 0)
        _require(largest <= _LARGEST, "numbers of a job must be at most 2^53 - 1")


@dataclass(frozen=True)
class PlanState:
    """What is true at a boundary of epochs.

    decided_unix_s: jobs submitted up to then have run, wait or were refused. servers: of the plan.
    waiting, refused: names of jobs. battery_mj: energy in the battery; None: there is none.
    """

    at_unix_s: int
    decided_unix_s: int
    servers: int
    running: tuple[BegunJob, ...] = ()
    waiting: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    battery_mj: int | None = None

    def __post_init__(self) -> None:
        times = 0 <= self.decided_unix_s <= self.at_unix_s <= _LATEST_UNIX_S
        _require(times, "`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000")
        _require(0 < self.servers <= _MOST_SERVERS, "`servers` must be 1 to 2^20")
        busy = [server for job in self.running for server in job.servers]
        _require(len(busy) == len(set(busy)), "two jobs must not have the same server")
        inside = max(busy, default=0) < self.servers
        _require(inside, "a server of a job is not among `servers`")
        names = [*(job.name for job in self.running), *self.waiting, *self.refused]
        _require(len(names) == len(set(names)), "a job must be named once in a state")
        for name in (*self.waiting, *self.refused):
            _check_name(name, "a name in `waiting` or `refused`")
        begun = all(0 <= self._first_unix_s(job) <= self.at_unix_s for job in self.running)
        _require(begun, "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`")
        _require(0 <= (self.battery_mj or 0) <= _LARGEST, "`battery_mj` must be 0 to 2^53 - 1")

    def _first_unix_s(self, job: BegunJob) -> int:
        ran_s = sum(seconds for _, seconds in job.ran_s)
        return self.at_unix_s - ran_s if job.begun_unix_s is None else job.begun_unix_s

    @property
    def asleep(self) -> tuple[int, ...]:
        """Servers without a job."""
        busy = {server for job in self.running for server in job.servers}
        return tuple(server for server in range(self.servers) if server not in busy)

    def to_json(self) -> bytes:
        """The file in JSON."""
        document = {
            "kind": KIND,
            "version": VERSION,
            "at_unix_s": self.at_unix_s,
            "decided_unix_s": self.decided_unix_s,
            "servers": self.servers,
            "running": [_object_of(job) for job in self.running],
            "waiting": list(self.waiting),
            "refused": list(self.refused),
            "asleep": list(self.asleep),
            "battery_mj": self.battery_mj,
        }
        return (json.dumps(document, indent=1) + "\n").encode()

    def to_flat(self) -> bytes:
        """The file as a sealed FlatBuffer; equal states give equal bytes."""
        # JSON needs the standard library alone.
        from tailc_runtime.plan_state_flat import encode

        return encode(self)


def read_state(source: str | Path | bytes) -> PlanState:
    """The state in a file or in its bytes, in either encoding.

    Raises PolicyError for anything else, and OSError if the file cannot be read.
    """
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    if data[4:8] != IDENTIFIER:
        return _of_json(data)
    from tailc_runtime.plan_state_flat import decode

    return decode(data)


def write_state(state: PlanState, path: str | Path) -> None:
    """Write a FlatBuffer if the name ends in `.tailc`, otherwise JSON.

    An existing file is replaced only by a complete one.
    """
    target = Path(path)
    data = state.to_flat() if target.suffix == ".tailc" else state.to_json()
    written = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with written.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _object_of(job: BegunJob) -> dict[str, object]:
    return {
        "name": job.name,
        "begun_unix_s": job.begun_unix_s,
        "servers": list(job.servers),
        "ran_s": [{"servers": count, "seconds": seconds} for count, seconds in job.ran_s],
        "green_slots": job.green_slots,
        "machines": job.machines,
    }


def _of_json(data: bytes) -> PlanState:
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise BadStructure(f"the file is no state: {fault}") from None
    if not isinstance(given, dict) or given.get("kind") != KIND or given.get("version") != VERSION:
        raise BadStructure(f"`kind` must be `{KIND}`, and `version` {VERSION}")
    refuse_others(given, _STATE)
    given = {"running": [], "waiting": [], "refused": [], **given}
    state = PlanState(
        at_unix_s=whole(given, "at_unix_s"),
        decided_unix_s=whole(given, "decided_unix_s"),
        servers=whole(given, "servers"),
        running=tuple(_job_in(job) for job in objects(given, "running")),
        waiting=texts_in(given, "waiting"),
        refused=texts_in(given, "refused"),
        battery_mj=_optional(given, "battery_mj"),
    )
    is_same = "asleep" not in given or wholes(given, "asleep") == state.asleep
    _require(is_same, "`asleep` must have the servers without a job")
    return state


def _job_in(job: dict[str, Any]) -> BegunJob:
    refuse_others(job, _JOB)
    job = {"ran_s": [], "green_slots": 0, **job}
    return BegunJob(
        name=text_in(job, "name"),
        begun_unix_s=_optional(job, "begun_unix_s"),
        servers=wholes(job, "servers"),
        ran_s=tuple(map(_ran_in, objects(job, "ran_s"))),
        green_slots=whole(job, "green_slots"),
        machines=_optional(job, "machines"),
    )


def _ran_in(one: dict[str, Any]) -> tuple[int, int]:
    refuse_others(one, _RAN)
    return whole(one, "servers"), whole(one, "seconds")


def _optional(given: dict[str, Any], name: str) -> int | None:
    return None if given.get(name) is None else whole(given, name)


def _check_name(name: str, what: str) -> None:
    is_utf8 = not any("\ud800" <= letter <= "\udfff" for letter in name)
    _require(bool(name) and is_utf8, f"{what} must be UTF-8 and not empty")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
