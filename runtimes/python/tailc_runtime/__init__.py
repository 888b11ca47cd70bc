"""Look up tailc policies: verify once, then decide in a fraction of a microsecond."""

from tailc_runtime.controller import Controller
from tailc_runtime.counters import Counters
from tailc_runtime.errors import (
    BadMeaning,
    BadSignature,
    BadStructure,
    Expired,
    HashMismatch,
    NoSignatures,
    NotCanonical,
    OlderGeneration,
    OtherForm,
    OtherService,
    PolicyError,
    Truncated,
    UnknownClass,
    UnknownForm,
    UnknownKey,
    UnknownRule,
    UnknownSchema,
    Unsigned,
)
from tailc_runtime.opening import (
    open_any,
    open_plan,
    open_policies,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.plan import BROWN, GREEN, MIXED, Plan
from tailc_runtime.plan_battery import Stored
from tailc_runtime.plan_pricing import Quote
from tailc_runtime.shares import Shares
from tailc_runtime.table import NOW, ON_EXIT, WAIT, PolicyTable
from tailc_runtime.tail_table import TailTable

__all__ = [
    "BROWN",
    "GREEN",
    "MIXED",
    "NOW",
    "ON_EXIT",
    "WAIT",
    "BadMeaning",
    "BadSignature",
    "BadStructure",
    "Controller",
    "Counters",
    "Expired",
    "HashMismatch",
    "NoSignatures",
    "NotCanonical",
    "OlderGeneration",
    "OtherForm",
    "OtherService",
    "Plan",
    "PolicyError",
    "PolicyTable",
    "Quote",
    "Shares",
    "Stored",
    "TailTable",
    "Truncated",
    "UnknownClass",
    "UnknownForm",
    "UnknownKey",
    "UnknownRule",
    "UnknownSchema",
    "Unsigned",
    "open_any",
    "open_plan",
    "open_policies",
    "open_policy",
    "open_shares",
    "open_tail_table",
]
