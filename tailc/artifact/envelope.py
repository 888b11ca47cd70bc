"""The envelope of a policy: its SLOs and rates, its forms, and its evidence."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace

from tailc.artifact.estimates import Estimates
from tailc.forms.budget_table import BudgetTable
from tailc.forms.controller import LARGEST_AGE_US, Actuator, Controller
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Ladder
from tailc.forms.plan.plan import Plan, rule_of
from tailc.forms.shares import Shares
from tailc.forms.tail_table import Batch, TailTable
from tailc.specs.slo import Slo
from tailc.traces.reading import TraceReading
from tailc.traces.summary import DemandSummary

SCHEMA_MAJOR = 1
SCHEMA_MINOR = 12

# The proof of a table that was found by a search on replays.
REPLAYED = "replayed"
PROOFS = ("grid-exhausted", "dual-bound", "solver-claim", REPLAYED, "by-definition", "none")
COMPILED_SPEC = "compiled-spec"
"""Name, in `versions`, of the digest of the spec that the policy was compiled from."""
RESTORED, REPLACED = "restored-policy", "replaced-policy"
"""Names of digests of a restored policy: its own former one, and that of the policy it replaces."""
DIGEST_NAMES = (COMPILED_SPEC, RESTORED, REPLACED)
_DIGEST = re.compile(r"[0-9a-f]{64}")


class InputRole(enum.Enum):
    """The role of an input file of a compile: design trace, held-out trace, or energy supply.

    SUPPLY is a series of energy or of its price, and not a trace of requests.
    """

    DESIGN = "design"
    HELD_OUT = "held-out"
    WHOLE = "whole"
    SUPPLY = "supply"


@dataclass(frozen=True)
class Input:
    """A part of a trace that was used in a compile, or held out of it.

    `digest` is the hex SHA-256 of the part's content (`DemandProfile.digest`), `requests` the sum
    of its weights, `rows` its number of records; for a supply, `rows` is the number of steps,
    without requests. `demand` summarises the compiled demands, so that drift can be computed
    without them; None if absent.
    """

    role: InputRole
    digest: str
    rows: int
    requests: int
    demand: DemandSummary | None = field(default=None, metadata={"since": 1})

    def __post_init__(self) -> None:
        if not _DIGEST.fullmatch(self.digest):
            raise ValueError(f"`{self.digest[:80]}` is not a SHA-256 digest in hexadecimal")


@dataclass(frozen=True)
class Evidence:
    """How a policy was computed: the problem that was solved, the method, the solver, the proof.

    `proof` is `grid-exhausted` (optimal on the grid), `dual-bound` (within the gap of the bound),
    `solver-claim` (a general solver's claim), `replayed` (found on replays), `by-definition` or
    `none`. `settings` are the numbers of the search, name to whole number. `estimates` are replayed
    estimates at the policy's rates; None if nothing was replayed.
    """

    objective: str
    method: str
    proof: str
    solver: str
    versions: tuple[tuple[str, str], ...]
    evaluations: int
    settings: tuple[tuple[str, int], ...]
    rows: tuple[RowEvidence, ...]
    estimates: Estimates | None = field(default=None, metadata={"since": 8})

    def __post_init__(self) -> None:
        if self.proof not in PROOFS:
            raise ValueError(f"`proof` must be one of {', '.join(PROOFS)}, not `{self.proof[:80]}`")
        for name, value in self.versions:
            if name in DIGEST_NAMES and not _DIGEST.fullmatch(value):
                raise ValueError(
                    f"`{value[:80]}` of `{name}` is not a SHA-256 digest in hexadecimal"
                )


@dataclass(frozen=True)
class Policy:
    """A compiled policy: its SLOs, the arrival rates that it is made for, its tables, its evidence.

    `rates_mrps` are arrival rates in thousandths of a request per second. The tables are the forms
    that a runtime executes, such as a ladder. The evidence says how they were computed.
    """

    name: str
    kind: str
    generation: int
    slos: tuple[Slo, ...]
    rates_mrps: tuple[int, ...]
    forms: tuple[Ladder | Controller | TailTable | Shares | Plan | BudgetTable, ...]
    inputs: tuple[Input, ...]
    reading: TraceReading
    evidence: Evidence

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("`name` of a policy must not be empty")
        if self.generation < 1:
            raise ValueError("`generation` must be at least 1")
        if not self.forms:
            raise ValueError("`forms` must not be empty")
        self._check_family()
        classes = [ladder.request_class for ladder in self.ladders]
        if len(set(classes)) != len(classes):
            raise ValueError("two ladders have the same `request_class`")
        self._check_controller()
        estimates = self.evidence.estimates
        if estimates and any(not 0 <= row.slo < len(self.slos) for row in estimates.rows):
            raise ValueError(
                "`slo` of an estimate must be the number of an SLO of the policy, counted from 0"
            )

    def _check_family(self) -> None:
        """Check that there are ladders, or one form of another type, and not both."""
        others = (self.tail_table, self.shares, self.plan, self.budget_table)
        one_of = [form for form in others if form is not None]
        if bool(self.ladders) + len(one_of) != 1:
            raise ValueError(
                "`forms` must have exactly one of ladders, a tail table, shares, a plan and a "
                "budget table"
            )
        if not self.ladders and len(self.forms) > (2 if self.controller else 1):
            raise ValueError(
                "`forms` must have only one tail table, one form of shares, one plan, or one "
                "budget table"
            )

    def _check_controller(self) -> None:
        controllers = [form for form in self.forms if isinstance(form, Controller)]
        if len(controllers) > 1:
            raise ValueError("`forms` must have at most one controller")
        if controllers and self.forms[-1] is not controllers[0]:
            raise ValueError("the controller must be the last form")
        acts_on = Actuator.CLIMB_AGES if self.ladders else Actuator.LATENCY_BOUND
        has_none = not self.ladders and self.tail_table is None
        if controllers and (has_none or controllers[0].acts_on is not acts_on):
            raise ValueError(
                "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table"
            )
        rows = [row for ladder in self.ladders for row in ladder.rows]
        if controllers and any(row.climbs[-1].age_us > LARGEST_AGE_US for row in rows):
            raise ValueError("`age_us` of a climb must be at most 2^43 with a controller")

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The ladders (tables of rungs by load and age) of a policy, one per class of requests."""
        return tuple(form for form in self.forms if isinstance(form, Ladder))

    @property
    def tail_table(self) -> TailTable | None:
        """The form that sets the frequency of a core by its queue (a tail table), or None."""
        return next((form for form in self.forms if isinstance(form, TailTable)), None)

    @property
    def batch(self) -> Batch | None:
        """The batch work of cores without requests that a tail table states, or None."""
        return None if self.tail_table is None else self.tail_table.batch

    @property
    def shares(self) -> Shares | None:
        """The form that determines the CPU shares of virtual machines, or None."""
        return next((form for form in self.forms if isinstance(form, Shares)), None)

    @property
    def plan(self) -> Plan | None:
        """The form that plans the jobs and the energy of a datacentre by epoch, or None."""
        return next((form for form in self.forms if isinstance(form, Plan)), None)

    @property
    def later_jobs(self) -> str | None:
        """Name of the baseline that decides about jobs which the plan does not include.

        None: prices of servers in the plan decide. Plans before schema 1.12 do not state the rule,
        and it follows from the method in the evidence.
        """
        stated = None if self.plan is None else self.plan.later_jobs
        return stated or rule_of(self.evidence.method)

    @property
    def budget_table(self) -> BudgetTable | None:
        """The form that sets the tokens of a language model's iterations, or None."""
        return next((form for form in self.forms if isinstance(form, BudgetTable)), None)

    @property
    def controller(self) -> Controller | None:
        """The controller that scales a ladder's ages or a tail table's latency bound, or None."""
        last = self.forms[-1]
        return last if isinstance(last, Controller) else None

    def form_for(self, request_class: str | None) -> Ladder:
        """Return the ladder for a class of requests, else the ladder for all classes.

        request_class: name of the class; None: all. Raises LookupError if there is neither.
        """
        by_class = {ladder.request_class: ladder for ladder in self.ladders}
        ladder_for = by_class.get(request_class) or by_class.get(None)
        if ladder_for is None:
            raise LookupError(f"no ladder for class {request_class!r}")
        return ladder_for

    def same_policy(self, other: Policy) -> bool:
        """Whether two policies have the same SLOs and decisions.

        Their evidence and generation may differ.
        """
        return self._decisions() == other._decisions()

    def _decisions(self) -> tuple[object, ...]:
        return (self.name, self.kind, self.slos, self.rates_mrps, self.forms)


def next_generation(policy: Policy, previous: Policy | None) -> Policy:
    """Return `policy` with the generation that follows `previous`.

    The generation is the number of a policy in the sequence of those published. It is that of
    `previous` if both are the same policy, and 1 without a previous one.
    """
    if previous is None:
        return replace(policy, generation=1)
    changed = not policy.same_policy(previous)
    return replace(policy, generation=previous.generation + changed)
