"""Read and write the file of a plan's state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.forms.plan.state import PlanState

MOST_BYTES = 64 * 1024 * 1024


def read_state_file(path: str) -> PlanState:
    """The state in a file (`-`: standard input); TailcError if it is not one."""
    from tailc.artifact.state_json import read_state
    from tailc.input_files import input_bytes

    return read_state(path, input_bytes(path, MOST_BYTES).decode("utf-8", "replace"))


def write_state_file(state: PlanState, path: str) -> None:
    """Write a state; an existing file is replaced only by a complete one."""
    from tailc.artifact.state_json import state_text
    from tailc.atomic_files import replace_files

    replace_files([(Path(path), state_text(state).encode())])
