"""Files that are no policies, by what every reader says of them."""

from __future__ import annotations

import gzip

from tests.tailc.artifact.published import VECTORS

SEALED = (VECTORS / "smallest.tailc").read_bytes()
STATE = (VECTORS / "states/empty.tailc").read_bytes()
NO_POLICIES = {
    "the file is empty": b"",
    "the file looks like JSON": b'\n [{"a": 1}]' + b" " * 60,
    "the file looks compressed by gzip": gzip.compress(SEALED),
    "it has no identifier `TLC1`": b"Of a file that someone has copied to the wrong place, a text.",
    "the seal is missing, or the end": SEALED[:-48],
    "the end of the file": STATE[:-48],
    "the file does not have the length in its seal": SEALED[:100] + SEALED[108:],
}
