"""Documents against their schemas; a schema itself is checked once, not with every document."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

_OUTPUT = Path(__file__).parents[2] / "schemas/report/output-1.schema.json"


def validate_compiled(result: dict[str, object], part: str = "compile") -> None:
    """Raise ValidationError where the result of a compile is not as `part` of the schema says."""
    parts = json.loads(_OUTPUT.read_text())["$defs"]
    validate({"files": [], **result}, {**parts[part], "$defs": parts})


def validate(document: Any, schema: dict[str, Any]) -> None:
    """Raise ValidationError where the document is not as the schema says."""
    error = best_match(_validator(json.dumps(schema)).iter_errors(document))
    if error is not None:
        raise error


@cache
def _validator(text: str) -> Validator:
    schema = json.loads(text)
    found = validator_for(schema)
    found.check_schema(schema)
    return found(schema)
