"""Read a spec file as a tree, or report findings with places."""

from __future__ import annotations

import sys

from tailc.errors import Code, Finding, Place, TailcError
from tailc.input_files import input_bytes, refuse_device_as_standard_input
from tailc.specs.plain_yaml import compose_plain
from tailc.specs.tree import Document, split_lines
from tailc.units import shorten

MAX_BYTES = 1 << 20
STDIN = "-"
_POLICY_SUFFIX = ".tailc"
_OF_POLICY = (
    "give the spec from which the policy was compiled; to print a policy, use `tailc inspect`"
)


def read_document(path: str) -> Document:
    """Read the document in the file `path`, or on standard input for `-`.

    Raises TailcError if the file cannot be read, is not UTF-8 or YAML 1.2, is not a mapping, has
    several documents or a repeated key, or is larger than the limits.
    """
    source = "<stdin>" if path == STDIN else path
    return parse_document(read_text(path), source)


def read_documents(path: str) -> tuple[Document, ...]:
    """Read all documents in the file `path`; raises the same errors as `read_document`."""
    from tailc.specs.compose import compose_all

    source = "<stdin>" if path == STDIN else path
    text = read_text(path)
    lines = split_lines(text)
    return tuple(Document(source, lines, root) for root in compose_all(text, source))


def parse_document(text: str, source: str) -> Document:
    """Parse the document in `text`; raises the same errors as `read_document`."""
    root = compose_plain(text)
    if root is None:
        from tailc.specs.compose import compose

        root = compose(text, source)
    return Document(source, split_lines(text), root)


def read_text(
    path: str,
    subject: str = "spec",
    most_bytes: int = MAX_BYTES,
    shortening: str = "put measurements into a trace file, and name it in the spec",
) -> str:
    """Read the text in the file `path`, or on standard input for `-`.

    subject: what the file is, for errors. shortening: advice for a file larger than `most_bytes`.
    Raises TailcError if the file cannot be read, is not UTF-8, or is larger than the limit.
    """
    content = _read_bytes(path, subject, most_bytes, shortening)
    return _decode(content, "<stdin>" if path == STDIN else path)


def _read_bytes(path: str, subject: str, most_bytes: int, shortening: str) -> bytes:
    try:
        if path == STDIN:
            refuse_device_as_standard_input()
            content = sys.stdin.buffer.read(most_bytes + 1)
        else:
            content = input_bytes(path, most_bytes + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        message = f"`{shorten(path, 200)}` cannot be read: {(reason or 'not a path').lower()}"
        hint = f"give the path of a {subject} file, or `-` for standard input"
        raise TailcError(Finding(Code.CANNOT_READ, message, help=hint)) from None
    if len(content) > most_bytes:
        source = Place("<stdin>" if path == STDIN else path)
        message = f"the {subject} is larger than the limit of {most_bytes:,} bytes"
        raise TailcError(Finding(Code.TOO_LARGE, message, source, shortening))
    return content


def _decode(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        before = content[: fault.start].decode("utf-8-sig")
        lines = split_lines(before)
        place = Place(source, len(lines), len(lines[-1]) + 1, excerpt=None)
        message = f"byte `0x{content[fault.start]:02x}` is not valid UTF-8"
        hint = _OF_POLICY if source.endswith(_POLICY_SUFFIX) else "save the file as UTF-8"
        raise TailcError(Finding(Code.SYNTAX, message, place, hint)) from None
