"""Look up tailc policies: verify once, then decide in a fraction of a microsecond."""

from tailc_runtime.async_scheduler import AsyncScheduler
from tailc_runtime.budget_table import BudgetTable
from tailc_runtime.controller import Controller
from tailc_runtime.counters import Counters
from tailc_runtime.demand_log import DemandLog, RequestTimes
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
    open_budget_table,
    open_plan,
    open_policies,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.plan import BROWN, GREEN, MIXED, Plan
from tailc_runtime.plan_battery import Stored
from tailc_runtime.plan_pricing import Quote
from tailc_runtime.plan_state import BegunJob, PlanState, read_state, write_state
from tailc_runtime.raw import RungSetting
from tailc_runtime.schedule import CLIMB, CUT_OFF, DESCEND, START, Decision, Schedule, ScheduleError
from tailc_runtime.scheduler import Scheduler
from tailc_runtime.scheduling import Refused, Running
from tailc_runtime.shares import Shares
from tailc_runtime.table import NOW, ON_EXIT, WAIT, PolicyTable
from tailc_runtime.tail_table import TailTable
from tailc_runtime.watched import (
    REFUSED,
    RELOADED,
    UNCHANGED,
    Look,
    Watched,
    watch_budget_table,
    watch_plan,
    watch_policies,
    watch_policy,
    watch_shares,
    watch_tail_table,
)

__all__ = [
    "BROWN",
    "CLIMB",
    "CUT_OFF",
    "DESCEND",
    "GREEN",
    "MIXED",
    "NOW",
    "ON_EXIT",
    "REFUSED",
    "RELOADED",
    "START",
    "UNCHANGED",
    "WAIT",
    "AsyncScheduler",
    "BadMeaning",
    "BadSignature",
    "BadStructure",
    "BegunJob",
    "BudgetTable",
    "Controller",
    "Counters",
    "Decision",
    "DemandLog",
    "Expired",
    "HashMismatch",
    "Look",
    "NoSignatures",
    "NotCanonical",
    "OlderGeneration",
    "OtherForm",
    "OtherService",
    "Plan",
    "PlanState",
    "PolicyError",
    "PolicyTable",
    "Quote",
    "Refused",
    "RequestTimes",
    "RungSetting",
    "Running",
    "Schedule",
    "ScheduleError",
    "Scheduler",
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
    "Watched",
    "open_any",
    "open_budget_table",
    "open_plan",
    "open_policies",
    "open_policy",
    "open_shares",
    "open_tail_table",
    "read_state",
    "watch_budget_table",
    "watch_plan",
    "watch_policies",
    "watch_policy",
    "watch_shares",
    "watch_tail_table",
    "write_state",
]
