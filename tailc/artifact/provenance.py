"""The digest that identifies a spec in a policy's evidence."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from tailc.artifact.json_form import canonical
from tailc.artifact.shapes import LARGEST_WHOLE


def spec_digest(spec: dict[str, Any]) -> str:
    """Compute the digest of a spec: hex SHA-256 of the canonical JSON of its keys and values.

    Comments, layout and the order of keys do not matter; every value does. Numbers that JSON cannot
    represent exactly become the nearest double, and those that it cannot represent become text.
    """
    return hashlib.sha256(canonical(_representable(spec))).hexdigest()


def _representable(value: Any) -> Any:
    match value:
        case dict():
            return {key: _representable(part) for key, part in value.items()}
        case list():
            return [_representable(part) for part in value]
        case bool():
            return value
        case int() if abs(value) > LARGEST_WHOLE:
            return float(value)
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
