"""Look up tailc policies: verify once, then decide in a fraction of a microsecond."""

from tailc_runtime.controller import Controller
from tailc_runtime.errors import (
    BadMeaning,
    BadStructure,
    HashMismatch,
    NotCanonical,
    PolicyError,
    Truncated,
    UnknownClass,
    UnknownForm,
    UnknownRule,
    UnknownSchema,
)
from tailc_runtime.opening import open_policies, open_policy
from tailc_runtime.table import NOW, ON_EXIT, WAIT, PolicyTable

__all__ = [
    "NOW",
    "ON_EXIT",
    "WAIT",
    "BadMeaning",
    "BadStructure",
    "Controller",
    "HashMismatch",
    "NotCanonical",
    "PolicyError",
    "PolicyTable",
    "Truncated",
    "UnknownClass",
    "UnknownForm",
    "UnknownRule",
    "UnknownSchema",
    "open_policies",
    "open_policy",
]
