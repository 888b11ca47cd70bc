"""The exception for bytes that are not a valid policy, raised while decoding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tailc.errors import Code, Finding, Place, TailcError

_AGAIN = "copy the file again, or compile the policy again: it was damaged or edited"
# Default help of a refusal, by its code.
_HELP = {
    Code.LENGTH_MISMATCH: _AGAIN,
    Code.HASH_MISMATCH: _AGAIN,
    Code.BAD_STRUCTURE: _AGAIN,
    Code.BAD_ARTIFACT: "compile the policy again: no version of tailc writes such a policy",
    Code.CANNOT_READ: "give the `.tailc` or the `.json` file of a policy, or the stem of both",
}


class Refusal(Exception):  # noqa: N818, never leaves the room
    """The reason why bytes are not a valid policy, as an exception.

    `steps` are the path from the policy to the invalid part.
    """

    def __init__(self, code: Code, message: str, help: str | None = None) -> None:  # noqa: A002
        self.code = code
        self.message = message
        self.help = help
        self.steps: list[str] = []
        super().__init__(message)

    def finding(self, source: str) -> Finding:
        """Make the finding about the file `source` that states this refusal."""
        pointer = "".join(f"/{step}" for step in reversed(self.steps))
        message = f"at `{pointer}`: {self.message}" if pointer else self.message
        return Finding(self.code, message, Place(source), self.help or _HELP.get(self.code))


@contextmanager
def refusals_about(source: str) -> Iterator[None]:
    """Turn a refusal inside the block into a TailcError about the file `source`."""
    try:
        yield
    except Refusal as refusal:
        raise TailcError(refusal.finding(source)) from refusal
