"""The files that a command reads or writes, which no output document may replace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

# The two files of a stem.
_ENDINGS = ("", ".json", ".tailc")
# Arguments and options that name specs, and endings of files that are specs.
_SPECS = ("spec", "specs", "budgets")
_SPEC_ENDINGS = (".yaml", ".yml")


def own_files(options: Mapping[str, object]) -> Iterator[str]:
    """Yield the paths of all files that a command with these options may read or write.

    For a spec this includes the files that it names, if it can be read.
    """
    for option, value in options.items():
        for word in words_in(value):
            yield from (f"{word}{ending}" for ending in _ENDINGS)
            if option in _SPECS or word.endswith(_SPEC_ENDINGS):
                yield from _named_by(word)


def words_in(value: object) -> Iterator[str]:
    """Yield the texts and paths in the value of an option; the value may be a list."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from words_in(part)


def _named_by(spec: str) -> Iterator[str]:
    from tailc.errors import TailcError
    from tailc.pipeline.build_inputs import named_files
    from tailc.specs.document import read_document

    if spec == "-":  # a pipe can be read only once
        return
    with suppress(TailcError):
        named = named_files(read_document(spec))
        yield from (str(Path(spec).parent / file) for file in named)
