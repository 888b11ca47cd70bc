"""The digest of a spec, which a policy's evidence names it by."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from tailc.artifact.json_form import canonical
from tailc.artifact.shapes import LARGEST_WHOLE


def spec_digest(spec: dict[str, Any]) -> str:
    """Hex SHA-256 of the canonical JSON (RFC 8785) of a spec's keys and values.

    So comments, layout and the order of keys do not count, and all that is written does. Numbers
    that JSON does not carry exactly are the nearest double; those that it has not are text.
    """
    return hashlib.sha256(canonical(_carried(spec))).hexdigest()


def _carried(value: Any) -> Any:
    match value:
        case dict():
            return {key: _carried(part) for key, part in value.items()}
        case list():
            return [_carried(part) for part in value]
        case bool():
            return value
        case int() if abs(value) > LARGEST_WHOLE:
            return float(value)
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
