"""Documents against their schemas; a schema itself is checked once, not with every document."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for


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
