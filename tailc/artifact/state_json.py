"""The file of a plan's state: JSON, with one object for each job, or a FlatBuffer."""

from __future__ import annotations

import json
from typing import Any, cast

from tailc.artifact.flat_form import is_flat
from tailc.artifact.shapes import LARGEST_WHOLE
from tailc.artifact.state_flat import decode_state, is_flat_state
from tailc.errors import Code, Finding, Place, TailcError
from tailc.forms.plan.state import BegunJob, PlanState

KIND, VERSION = "plan-state", 1
_HINT = "write it with `tailc advance`; `docs/replanning.md` describes its keys"
_JOB_KEYS = {"name", "begun_unix_s", "servers", "ran_s", "green_slots", "machines"}
_KEYS = {
    "kind",
    "version",
    "at_unix_s",
    "decided_unix_s",
    "servers",
    "running",
    "waiting",
    "refused",
    "asleep",
    "battery_mj",
}


def state_text(state: PlanState) -> str:
    """Format a plan's state as the text of a state file."""
    document = {
        "kind": KIND,
        "version": VERSION,
        "at_unix_s": state.at_unix_s,
        "decided_unix_s": state.decided_unix_s,
        "servers": state.servers,
        "running": [_job_object(job) for job in state.running],
        "waiting": list(state.waiting),
        "refused": list(state.refused),
        "asleep": list(state.asleep),
        "battery_mj": state.battery_mj,
    }
    return json.dumps(document, indent=1) + "\n"


def _job_object(job: BegunJob) -> dict[str, object]:
    return {
        "name": job.name,
        "begun_unix_s": job.begun_unix_s,
        "servers": list(job.servers),
        "ran_s": [{"servers": count, "seconds": seconds} for count, seconds in job.ran_s],
        "green_slots": job.green_slots,
        "machines": job.machines,
    }


def read_state(path: str, data: bytes) -> PlanState:
    """Read a plan's state from a file of either encoding; TailcError (BAD_STATE) for anything else.

    data: content of the file. The number of sleeping servers (`asleep`) follows from the servers of
    jobs, and must agree if it is stated.
    """
    try:
        if is_flat_state(data):
            return decode_state(data)
        if is_flat(data):
            raise ValueError("it is a policy")
        return _state(json.loads(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError) as fault:
        message = f"`{path}` is not a state of a plan: {fault}"
        raise TailcError(Finding(Code.BAD_STATE, message, Place(path), _HINT)) from None


def _state(document: Any) -> PlanState:
    given = _object(document, _KEYS, "the file")
    if given.get("kind") != KIND or given.get("version") != VERSION:
        raise ValueError(f"`kind` must be `{KIND}`, and `version` {VERSION}")
    battery = given.get("battery_mj")
    state = PlanState(
        at_unix_s=_whole(given, "at_unix_s"),
        decided_unix_s=_whole(given, "decided_unix_s"),
        servers=_whole(given, "servers"),
        running=tuple(_job(job) for job in _list(given, "running")),
        waiting=_names(given, "waiting"),
        refused=_names(given, "refused"),
        battery_mj=None if battery is None else _whole(given, "battery_mj"),
    )
    if "asleep" in given and tuple(_list(given, "asleep")) != state.asleep:
        raise ValueError("`asleep` must have the servers without a job")
    return state


def _job(document: Any) -> BegunJob:
    given = _object(document, _JOB_KEYS, "a job")
    ran = [_object(one, {"servers", "seconds"}, "`ran_s`") for one in _list(given, "ran_s")]
    machines, begun = given.get("machines"), given.get("begun_unix_s")
    return BegunJob(
        name=_text(given.get("name"), "`name`"),
        begun_unix_s=None if begun is None else _whole(given, "begun_unix_s"),
        servers=tuple(_number(one, "`servers`") for one in _list(given, "servers")),
        ran_s=tuple((_whole(one, "servers"), _whole(one, "seconds")) for one in ran),
        green_slots=_whole(given, "green_slots") if "green_slots" in given else 0,
        machines=None if machines is None else _whole(given, "machines"),
    )


def _object(value: Any, keys: set[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object")
    given = cast("dict[str, Any]", value)
    if odd := sorted(given.keys() - keys):
        raise ValueError(f"{what} has an unknown key, `{odd[0]}`")
    return given


def _list(given: dict[str, Any], key: str) -> list[Any]:
    value = given.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"`{key}` must be a list")
    return cast("list[Any]", value)


def _names(given: dict[str, Any], key: str) -> tuple[str, ...]:
    return tuple(_text(one, f"`{key}`") for one in _list(given, key))


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{what} must be text")
    # An escape such as \ud800 is half of a character.
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{what} must be text that UTF-8 can encode")
    return value


def _whole(given: dict[str, Any], key: str) -> int:
    return _number(given.get(key), f"`{key}`")


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{what} must be a whole number")
    if abs(value) > LARGEST_WHOLE:
        raise ValueError(f"{what} must be within -(2^53 - 1) to 2^53 - 1")
    return value
