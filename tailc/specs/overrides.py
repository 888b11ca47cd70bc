"""Replace fields of a spec by command-line options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.specs.fields import SpecModel

Model = TypeVar("Model", bound=SpecModel)


def overridden(model: Model, overrides: Mapping[str, object], kind: str) -> Model:
    """Replace fields of the search in a spec; TailcError (USAGE) for fields that the kind lacks."""
    for name, value in overrides.items():
        field = type(model).model_fields.get(name)
        if field is None:
            message = f"`{_option(name)}` does not apply to a policy of kind `{kind}`"
            raise TailcError(Finding(Code.USAGE, message, help="remove the option"))
        choices = _choices(field.annotation)
        if choices and value not in choices:
            message = f"`{_option(name)}` cannot be `{value}` for a policy of kind `{kind}`"
            raise TailcError(Finding(Code.USAGE, message, help=did_you_mean(str(value), choices)))
    return model.model_copy(update=dict(overrides))


def _option(name: str) -> str:
    return "--" + name.removesuffix("_ppm").replace("_", "-")


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _choices(part)]
