"""States of plans behind the vectors of schema 1.12, and files that are refused as states."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tailc.artifact.state_flat import encode_state
from tailc.artifact.state_json import state_text
from tailc.forms.plan.state import BegunJob, PlanState

LARGEST = 2**53 - 1
_AT_UNIX_S = 1_338_555_600


def states() -> dict[str, PlanState]:
    """Every member, none, and numbers at their limits."""
    return {
        "every": PlanState(
            at_unix_s=_AT_UNIX_S,
            decided_unix_s=_AT_UNIX_S - 3_600,
            servers=12,
            running=(
                BegunJob("render/7", None, (0, 1, 5), ((2, 900), (3, 2_700)), 4, 6),
                BegunJob("Zürich", _AT_UNIX_S - 900, (11,), ((1, 900),)),
            ),
            waiting=("later", "last"),
            refused=("wide",),
            battery_mj=3_600_000_000,
        ),
        "empty": PlanState(0, 0, 1, ()),
        "limits": PlanState(
            253_402_300_799,
            253_402_300_799,
            8,
            (BegunJob("j", 0, (0, 7), ((LARGEST, 1),), LARGEST, LARGEST),),
            battery_mj=LARGEST,
        ),
    }


def write_states(folder: Path) -> None:
    """Each state in both encodings, and damaged ones below `refused`, named by their error."""
    refused = folder / "refused"
    refused.mkdir(parents=True, exist_ok=True)
    for name, state in states().items():
        (folder / f"{name}.json").write_text(state_text(state), encoding="utf-8")
        (folder / f"{name}.tailc").write_bytes(encode_state(state))
    for name, data in _damaged().items():
        (refused / f"{name}.tailc").write_bytes(data)


def _damaged() -> dict[str, bytes]:
    whole = encode_state(states()["every"])
    meanings = {
        "bad-meaning-two-jobs": _with(running=(_job(name="a"), _job(name="b"))),
        "bad-meaning-outside": _with(servers=4, running=(_job(servers=(4,)),)),
        "bad-meaning-order": _with(running=(_job(servers=(5, 4)),)),
        "bad-meaning-named-twice": _with(waiting=("later",), refused=("later",)),
        "bad-meaning-future": _with(running=(_job(begun_unix_s=_AT_UNIX_S + 1),)),
        "bad-meaning-decided": _with(decided_unix_s=_AT_UNIX_S + 1),
        "bad-meaning-ran": _with(running=(_job(ran_s=((1, 0),)),)),
        "bad-meaning-battery": _with(battery_mj=-1),
    }
    return {
        **meanings,
        "truncated": whole[:-1],
        "hash-mismatch": whole[:60] + bytes([whole[60] ^ 1]) + whole[61:],
    }


def _with(**changes: Any) -> bytes:
    """The bytes of a state that the form itself would refuse."""
    return encode_state(SimpleNamespace(**{**vars(states()["every"]), **changes}))  # pyright: ignore


def _job(**changes: Any) -> Any:
    return SimpleNamespace(**{**vars(BegunJob("job", _AT_UNIX_S, (2,), ())), **changes})
