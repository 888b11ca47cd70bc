"""A policy's JSON with something else in it, canonical and with the digest it should then have."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import rfc8785

Change = Callable[[dict[str, Any]], None]


def changed(document: bytes, change: Change) -> bytes:
    """The canonical JSON of `document` after `change`."""
    policy = json.loads(document)
    del policy["policy_digest"]
    change(policy)
    policy["policy_digest"] = hashlib.sha256(rfc8785.dumps(policy)).hexdigest()
    return rfc8785.dumps(policy)
