"""The JSON Schema of a spec, for editors: what may be written, not what it is held as."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tailc.specs.fields import SpecModel


class _WithoutTitles(GenerateJsonSchema):
    """Pydantic makes titles out of names, which say nothing that the keys do not."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def spec_schema(model: type[SpecModel]) -> dict[str, Any]:
    """The JSON Schema of the specs that `model` checks.

    Looser than the model: conflicts between parts are not in it.
    """
    schema = model.model_json_schema(schema_generator=_WithoutTitles)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


def spec_schema_text(model: type[SpecModel]) -> str:
    """The schema as the text of the file that is checked in."""
    return json.dumps(spec_schema(model), indent=2) + "\n"
