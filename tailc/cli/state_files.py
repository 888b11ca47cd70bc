"""Read and write the file of a plan's state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.forms.plan.plan import Plan
    from tailc.forms.plan.state import PlanState

MOST_BYTES = 64 * 1024 * 1024


def read_state_file(path: str) -> PlanState:
    """Read the state of running jobs from a file (`-`: standard input).

    Raises TailcError if the file does not contain such a state.
    """
    from tailc.artifact.state_json import read_state
    from tailc.input_files import input_bytes

    return read_state(path, input_bytes(path, MOST_BYTES))


def read_state_at_start(path: str, plan: Plan) -> PlanState:
    """Read or make the state from which a plan begins.

    Raises TailcError (BAD_STATE) for a state of another time or of another datacentre.
    """
    from tailc.errors import Code, Finding, Place, TailcError
    from tailc.traces.zones import utc_text
    from tailc.units import plural

    state = read_state_file(path)
    if state.at_unix_s != plan.start_unix_s:
        message = (
            f"the state is of `{utc_text(state.at_unix_s)}`, but the plan begins at "
            f"`{utc_text(plan.start_unix_s)}`"
        )
        hint = "give the state from which `tailc replan` made the plan; the first plan has none"
    elif state.servers != plan.servers:
        message = f"the state has {plural(state.servers, 'server')}, and the plan {plan.servers:,}"
        hint = "give the state of this plan"
    else:
        return state
    raise TailcError(Finding(Code.BAD_STATE, message, Place(path), hint))


def write_state_file(state: PlanState, path: str) -> None:
    """Write the state of running jobs: a FlatBuffer if the name ends in `.tailc`, otherwise JSON.

    An existing file is replaced only after all is written.
    """
    from tailc.artifact.state_flat import encode_state
    from tailc.artifact.state_json import state_text
    from tailc.atomic_files import replace_files

    is_flat = path.endswith(".tailc")
    data = encode_state(state) if is_flat else state_text(state).encode()
    replace_files([(Path(path), data)])
