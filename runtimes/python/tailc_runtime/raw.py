"""What both encodings are read into before it is checked for meaning."""

from __future__ import annotations

from dataclasses import dataclass

# The schema this reader was written for; a newer minor version only adds what may be ignored.
SCHEMA_MAJOR, SCHEMA_MINOR = 1, 1


@dataclass(frozen=True)
class Head:
    """Which policy this is."""

    name: str
    kind: str
    generation: int
    policy_digest: str


@dataclass(frozen=True)
class RawRow:
    """Loads from `first_load` on; climbs as ages from execution start and rungs beside them."""

    first_load: int
    admission: str
    delay_us: int
    ages_us: tuple[int, ...]
    rungs: tuple[int, ...]


@dataclass(frozen=True)
class RawLadder:
    """One ladder; words are those of the canonical JSON."""

    load_axis: str
    request_class: str | None
    cost_units: tuple[str, ...]
    rungs: tuple[str, ...]
    rules: tuple[str, ...]
    quantum_us: int
    rows: tuple[RawRow, ...]
    min_load: int
    max_load: int
    outside: str
    boost: tuple[int, int] | None
