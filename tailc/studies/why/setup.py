"""Collect what an explanation of a cell needs: requests, a rate, and the formula's table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tailc.artifact.envelope import COMPILED_SPEC, Policy
from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.experiment.compatibility import find_reasons_against, is_compile_trace
from tailc.experiment.options import VerifyOptions
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.arrivals import Arrivals, Poisson, RecordedArrivals
from tailc.models.recorded_gaps import RecordedGaps
from tailc.models.workload import Workload, workload
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.versions import compiled_digest
from tailc.policies import TunableTables, no_setting
from tailc.progress import Progress
from tailc.specs.auto_settings import METHOD
from tailc.studies.held_out import read_held_out, trace_warnings
from tailc.studies.why.decision import table_of
from tailc.traces.arrivals import ArrivalColumn
from tailc.traces.profile import DemandProfile
from tailc.traces.source import Format

# Fields that two tables must share to exchange rows, with their names in messages.
_SHARED = {
    "rungs": "other rungs",
    "cost_units": "other cores",
    "quantum_us": "another quantum",
    "rules": "other rules",
}


# Rules by which a request's decision also depends on the core that it takes over.
_TAKING_OVER = {Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST}
# Rules that have no effect on a table with one row.
_ABOUT_ROWS = {Rule.REREAD_ROW, Rule.NEVER_DESCEND}


@dataclass(frozen=True)
class CellSource:
    """Where the requests for an explanation come from: a trace, the policy's spec, or both."""

    trace: str | None
    format: Format
    spec: str | None

    def __post_init__(self) -> None:
        assert self.trace is not None or self.spec is not None


@dataclass(frozen=True, eq=False)
class CellSetup:
    """The inputs to explain a cell of a table: requests, the formula's table, and warnings.

    The formula's table exists if a spec is given. recorded: arrivals of the requests, if requested.
    is_design: whether the requests are those that the policy was computed from.
    """

    load: Workload
    formula: Ladder | None
    recorded: RecordedArrivals | None
    findings: tuple[Finding, ...]
    is_design: bool


def cell_setup(
    policy: Policy,
    source: CellSource,
    threads: int | None,
    progress: Progress,
    column: ArrivalColumn | None = None,
) -> CellSetup:
    """Read the inputs to explain a cell of a table: from the trace, or from the spec.

    The spec gives the requests of its design part. column: arrival times in the trace. Raises
    TailcError if the requests do not fit the policy, or if the policy cannot be replayed with
    changed rows.
    """
    _check_rules_in_rows(policy)
    requests: DemandProfile | None = None
    formula = recorded = None
    others = findings = ()
    if column is not None and source.trace is None:
        message = f"column `{column.name}` of recorded arrivals needs a trace"
        raise TailcError(Finding(Code.USAGE, message, help="add `--trace`"))
    if source.spec is not None:
        opened = _open_untuned(policy, source.spec)
        compiled = compile_opened(opened, threads=threads, progress=progress)
        formula, requests = _comparable_formula(policy, compiled.policy, opened), compiled.design
        others, findings = _other_spec(policy, opened), compiled.findings
    if source.trace is not None:
        held_out = read_held_out(policy, source.trace, source.format, column)
        requests, recorded = held_out.profile, held_out.recorded
        findings = trace_warnings(policy, held_out, source.trace, None)
    assert requests is not None
    _check_fits(policy, requests, source.trace or "trace of the spec")
    load, is_design = workload(requests, table_of(policy)), is_compile_trace(policy, requests)
    return CellSetup(load, formula, recorded, (*others, *findings), is_design)


def percentile_of(policy: Policy) -> int:
    """The percentile of the policy's first SLO, in millionths."""
    if not policy.slos:
        raise TailcError(Finding(Code.BAD_ARTIFACT, f"policy `{policy.name}` states no SLO"))
    return policy.slos[0].percentile_ppm


def arrivals_for(policy: Policy, given: tuple[Arrivals, ...] | None) -> Arrivals:
    """The given arrival process, or else the policy's own at its highest rate.

    A recording is replayed from random positions, so that replications differ. Raises TailcError if
    several processes are given, or none is known.
    """
    of_policy = arrivals_of(policy)[-1:]
    named = [one for one in given or of_policy if not isinstance(one, Poisson)]
    named = named or list(given or of_policy)
    if not named:
        message = f"policy `{policy.name}` has no arrival rates, and none is given"
        raise TailcError(Finding(Code.USAGE, message, help="give one, such as `--rate 40/s`"))
    one, *others = named
    if others:
        names = ", ".join(f"`{one.name}`" for one in named)
        message = f"a cell is explained for one arrival process, but several are given: {names}"
        raise TailcError(Finding(Code.USAGE, message, help="run the command once for each"))
    if isinstance(one, RecordedArrivals):
        return RecordedGaps(one.times_ns, one.source).with_rate(max(one.rate_mrps, 1))
    return one


def _check_rules_in_rows(policy: Policy) -> None:
    table = table_of(policy)
    if table.sharing is not None or _may_descend(table) or _TAKING_OVER & set(table.rules):
        message = f"policy `{policy.name}` has rules that are not in its rows"
        hint = "changes of rows cannot be replayed for it: remove `--trace` and `--spec`"
        raise TailcError(Finding(Code.USAGE, message, help=hint))


def _may_descend(table: Ladder) -> bool:
    """Whether requests may descend; never if they have their own cores, whatever the rules are."""
    if Rule.CORE_PER_REQUEST in table.rules:
        return False
    follows_down = Rule.REREAD_ROW in table.rules and Rule.NEVER_DESCEND not in table.rules
    return follows_down and len(table.rows) > 1


def _check_fits(policy: Policy, requests: DemandProfile, name: str) -> None:
    options = VerifyOptions(allow_compile_trace=True, held_out_name=name)
    if findings := find_reasons_against(policy, requests, options):
        raise TailcError(findings)


def _open_untuned(policy: Policy, spec_path: str) -> OpenedSpec:
    """Open the spec without tuning; TailcError if it is not of the policy's kind."""
    opened = open_kind(spec_path)
    if opened.spec.kind != policy.kind:
        difference = (
            f"has the kind `{opened.spec.kind}`, but policy `{policy.name}` has the kind "
            f"`{policy.kind}`"
        )
        raise _other(f"the spec {difference}", opened.loaded.place("kind"))
    # Speeds of rungs are means over the requests of the search, which `auto` does not give all.
    best = opened.kind.tuning.best if _is_by_auto(policy) else no_setting
    tuning = TunableTables(no_setting, best)
    return replace(opened, kind=replace(opened.kind, tuning=tuning, robust=no_setting))


def _is_by_auto(policy: Policy) -> bool:
    """Whether the method `auto` chose the table; if it is the formula's, that method is stated."""
    method, settings = policy.evidence.method, dict(policy.evidence.settings)
    return method == METHOD or (method != "simulation" and "kept_out" in settings)


def _other_spec(policy: Policy, opened: OpenedSpec) -> tuple[Finding, ...]:
    """A warning if the policy was compiled from another spec."""
    compiled_from = dict(policy.evidence.versions).get(COMPILED_SPEC)
    if compiled_from in (None, compiled_digest(opened.loaded.document)):
        return ()
    message = (
        f"policy `{policy.name}` was compiled from another spec, or from an older version of this "
        "one"
    )
    hint = "give the spec from which it was compiled"
    place = opened.loaded.place("kind")
    return (Finding(Code.OTHER_SPEC, message, place, hint, Severity.WARNING),)


def _comparable_formula(policy: Policy, by_formula: Policy, opened: OpenedSpec) -> Ladder:
    """The formula's table with the policy's rules; TailcError if rows cannot be exchanged."""
    ours, formula = table_of(policy), by_formula.ladders[0]
    if formula.load_axis is not ours.load_axis:
        message = f"the formula's table of policy `{policy.name}` has rows by arrival rate"
        hint = "rows by requests in the system cannot replace its rows: give only `--trace`"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    if len(formula.rows) == 1 and set(ours.rules) ^ set(formula.rules) <= _ABOUT_ROWS:
        formula = replace(formula, rules=ours.rules)
    for name, what in _SHARED.items():
        if getattr(ours, name) != getattr(formula, name):
            message = f"the spec requires {what} than policy `{policy.name}` has"
            raise _other(message, opened.loaded.place("server"))
    return formula


def _other(message: str, place: Place | None) -> TailcError:
    hint = "give the spec from which the policy was compiled"
    return TailcError(Finding(Code.CONFLICT, message, place, hint))
