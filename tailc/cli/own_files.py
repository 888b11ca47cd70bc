"""The files that a command reads or writes itself: no document that it tells may replace one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

# Both files that a stem names.
_ENDINGS = ("", ".json", ".tailc")
# Arguments and options that name specs, and how files end that are one wherever they are named.
_SPECS = ("spec", "specs", "budgets")
_SPEC_ENDINGS = (".yaml", ".yml")


def own_files(options: Mapping[str, object]) -> Iterator[str]:
    """What files could be called that a command with these options is about.

    Of a spec also what it names, as far as it can be read at all.
    """
    for option, value in options.items():
        for word in words_in(value):
            yield from (f"{word}{ending}" for ending in _ENDINGS)
            if option in _SPECS or word.endswith(_SPEC_ENDINGS):
                yield from _named_by(word)


def words_in(value: object) -> Iterator[str]:
    """The texts and paths that a value is or has."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from words_in(part)


def _named_by(spec: str) -> Iterator[str]:
    from tailc.errors import TailcError
    from tailc.pipeline.build_inputs import named_files
    from tailc.specs.document import read_document

    if spec == "-":  # which can be read once
        return
    with suppress(TailcError):
        named = named_files(read_document(spec))
        yield from (str(Path(spec).parent / file) for file in named)
