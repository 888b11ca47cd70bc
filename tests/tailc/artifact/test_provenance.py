"""The digest of a spec is that of its canonical JSON, written here by hand."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import pytest

from tailc.artifact.provenance import spec_digest


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ({"b": 1.5, "a": ["x", True, None]}, '{"a":["x",true,null],"b":1.5}'),
        ({"b": {"d": 2.0, "c": "é"}}, '{"b":{"c":"é","d":2}}'),
        # RFC 8785, section 3.2.2.3: numbers are doubles.
        ({"a": 2**60, "b": -(2**60)}, '{"a":1152921504606847000,"b":-1152921504606847000}'),
        ({"a": 2**53 - 1, "b": 10**39}, '{"a":9007199254740991,"b":1e+39}'),
        ({"a": math.inf, "b": math.nan}, '{"a":"inf","b":"nan"}'),
    ],
)
def test_the_digest_is_that_of_the_canonical_json(spec: dict[str, Any], canonical: str) -> None:
    assert spec_digest(spec) == hashlib.sha256(canonical.encode()).hexdigest()
