"""Reduce the errors of pydantic for a union to those of the member that the user meant.

For a value that may have one of several types, pydantic tries each type and reports the errors of
all. The path of an error then has a step such as `list[str]`, which names the type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic_core import ErrorDetails

Step = str | int
Path = tuple[Step, ...]

# Of values with no part that is wrong: a text that was read says most, and "no mapping" least.
_RANKS = {"value_error": 0, "literal_error": 2, "model_type": 3, "dict_type": 3}
_OTHER_RANK = 1


def without_tags(path: Path) -> Path:
    """Remove from a path the steps that name members of a union."""
    return tuple(step for step in path if not _is_tag(step))


def intended_errors(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Select the errors of the union member that the user most likely meant, and all others."""
    best: dict[Path, tuple[int, Step]] = {}
    for error in errors:
        if (tag_at := _tag_at(error["loc"])) is None:
            continue
        path, tag = error["loc"][:tag_at], error["loc"][tag_at]
        if path not in best or _rank(error, tag_at) < best[path][0]:
            best[path] = _rank(error, tag_at), tag
    return list(_of_best(errors, best))


def _of_best(
    errors: Iterable[ErrorDetails], best: dict[Path, tuple[int, Step]]
) -> Iterable[ErrorDetails]:
    for error in errors:
        tag_at = _tag_at(error["loc"])
        if tag_at is None or best[error["loc"][:tag_at]][1] == error["loc"][tag_at]:
            yield error


def _rank(error: ErrorDetails, tag_at: int) -> int:
    if len(error["loc"]) > tag_at + 1:
        return -1  # a part of the value is wrong, so its kind is right
    return _RANKS.get(error["type"], _OTHER_RANK)


def _tag_at(path: Path) -> int | None:
    return next((at for at, step in enumerate(path) if _is_tag(step)), None)


def _is_tag(step: Step) -> bool:
    return isinstance(step, str) and "[" in step and step.endswith("]")
