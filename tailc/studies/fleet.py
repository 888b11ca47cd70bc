"""Compile the specs of many services; a service that fails does not stop the others.

Even a fault of tailc stops only the service at which it occurs. A service is compiled only if one
of its inputs has changed since its last compile. Each policy is written as soon as it is ready, so
that after an interrupt the next run continues with the rest.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import RateEstimate, Standing
from tailc.artifact.files import read_policy, write_policy
from tailc.artifact.json_form import digest_of
from tailc.errors import Code, ExitCode, Finding, Place, TailcError, bug_finding
from tailc.experiment.by_hand import is_for_cost
from tailc.pipeline.build_inputs import BuildInputs, build_inputs
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.spec import DOCUMENT_MODELS, KIND_MODELS, open_kind
from tailc.policies import KindSpec
from tailc.progress import Progress, silent
from tailc.specs.document import read_document
from tailc.specs.load import kind_of
from tailc.studies.build_record import RECORD_SUFFIX, reasons_to_compile, write_record
from tailc.studies.policy_store import PolicyStore
from tailc.tasks.engine import LostTask, TaskEngine
from tailc.threads import thread_count

_SUFFIXES = (".yaml", ".yml", ".json")
# The line of a spec that names its version, in YAML or in JSON.
_SPEC_LINE = re.compile(
    rb'^[ \t{]{0,40}"?apiVersion"?[ \t]{0,8}:[ \t]{0,8}["\']?tailc/', re.MULTILINE
)
_MOST_BYTES = 1_000_000


class ServiceStatus(enum.Enum):
    """Outcome of compiling one service of a fleet, such as compiled or up to date."""

    COMPILED = "compiled"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True)
class Service:
    """A spec of a fleet. name: path of the spec within the fleet's folder, without its suffix."""

    name: str
    spec: str


@dataclass(frozen=True)
class PolicySummary:
    """Summary of a compiled policy in the report of a fleet.

    standing: whether the estimates meet the SLO, the worst over all rates. change_ppm: change from
    the best fixed setting that a user could choose, at the rate where it is greatest: of the cost
    if the policy minimises a cost, else of the percentile. Both are None if the policy has no such
    estimates.
    """

    digest: str
    kind: str
    standing: Standing | None
    change_ppm: int | None


@dataclass(frozen=True)
class ServiceResult:
    """Result of one service of a fleet.

    reasons: why the service was compiled, such as a changed input. policy: None if the compile
    failed.
    """

    service: Service
    status: ServiceStatus
    exit_code: ExitCode
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]
    policy: PolicySummary | None


@dataclass(frozen=True)
class FleetOptions:
    """Options of all compiles of a fleet.

    output: folder of the policies. overrides: values for the search of each spec that can have
    them. allows_misses: accept policies whose estimates miss an SLO. rebuilds: compile unchanged
    specs, too. store: has policies of other runs, and gets those of this one.
    """

    output: str
    overrides: Mapping[str, object]
    allows_misses: bool = False
    rebuilds: bool = False
    store: PolicyStore | None = None

    def overrides_of(self, spec: KindSpec) -> Mapping[str, object]:
        """The overrides that apply to a spec; none if its method or kind lacks these fields."""
        try:
            spec.with_search(self.overrides)
        except TailcError:
            return {}
        return self.overrides

    def stem(self, service: Service) -> str:
        """Path without suffix to which a service's policy is written."""
        return str(Path(self.output) / service.name)


def find_services(folder: str) -> tuple[Service, ...]:
    """The specs in a folder and the folders below it, by name.

    Hidden folders are left out. Raises TailcError if there is none, or if two have the same name.
    """
    root = Path(folder)
    paths = [path for path in sorted(root.rglob("*")) if _is_spec(path, root)]
    services = [Service(str(path.relative_to(root).with_suffix("")), str(path)) for path in paths]
    if not services:
        message = f"`{folder}` has no spec of a policy"
        hint = "give the folder with the specs; a spec is a YAML or JSON file with `apiVersion`"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(folder), hint))
    counts = Counter(service.name for service in services)
    if same := [service for service in services if counts[service.name] > 1]:
        message = "another spec has the same name, so that both would write the same policy"
        hint = "rename or move one of the files"
        raise TailcError([Finding(Code.CONFLICT, message, Place(one.spec), hint) for one in same])
    return tuple(services)


def _is_spec(path: Path, root: Path) -> bool:
    """Whether a file is a spec of a policy, also if it is invalid or cannot be read."""
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    if path.suffix not in _SUFFIXES or path.name.endswith(RECORD_SUFFIX) or hidden:
        return False
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            if _SPEC_LINE.search(file.read(_MOST_BYTES)) is None:
                return False
    except OSError:
        return True
    try:
        kind = kind_of(read_document(str(path)))
    except TailcError:
        return True
    return kind in KIND_MODELS or kind not in DOCUMENT_MODELS


def compile_fleet(
    services: Sequence[Service],
    options: FleetOptions,
    engine: TaskEngine,
    progress: Progress = silent,
) -> tuple[ServiceResult, ...]:
    """Compile all services whose inputs have changed, and write their policies and records.

    Results and files do not depend on the engine.
    """
    checked = [_checked(service, options) for service in services]
    due = [one for one in checked if isinstance(one, _DueService)]
    threads = max(1, thread_count(None) // max(1, min(engine.slots, len(due))))
    tasks = [
        _CompileTask(one.service.spec, one.overrides, options.allows_misses, threads) for one in due
    ]
    results: dict[Service, ServiceResult] = {}
    ended = itertools.count(1)
    progress("compiling services", 0.0)

    def write(number: int, compiled: _Attempt | LostTask) -> None:
        results[due[number].service] = _write(due[number], compiled, options)
        done = next(ended)
        progress(f"compiled {done:,} of {len(due):,} services", done / len(due))

    engine.run_all(_compile, tasks, write)
    return tuple(results[one.service] if isinstance(one, _DueService) else one for one in checked)


@dataclass(frozen=True)
class _DueService:
    """A service to compile, with its inputs and the reasons."""

    service: Service
    overrides: Mapping[str, object]
    inputs: BuildInputs
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class _CompileTask:
    """A compile in the form that is sent to the process that runs it."""

    spec: str
    overrides: Mapping[str, object]
    allows_misses: bool
    threads: int


@dataclass(frozen=True)
class _Attempt:
    """Result of a compile; policy: None if it failed."""

    exit_code: ExitCode
    findings: tuple[Finding, ...]
    policy: Policy | None = None


def _checked(service: Service, options: FleetOptions) -> _DueService | ServiceResult:
    """The service with the reasons to compile it, or its result if it is unchanged or invalid."""
    stem = options.stem(service)
    try:
        opened = open_kind(service.spec)
        overrides = options.overrides_of(opened.spec)
        texts = {name: str(value) for name, value in overrides.items()}
        inputs = build_inputs(opened.loaded.document, service.spec, texts)
        reasons = ["`--rebuild`"] if options.rebuilds else reasons_to_compile(stem, inputs)
        if not reasons:
            policy = read_policy(stem)
        elif (stored := _stored(inputs, options)) is not None:
            policy = stored
            _write_files(stem, inputs, policy)
        else:
            return _DueService(service, overrides, inputs, tuple(reasons))
    except TailcError as error:
        return _failure(service, error.exit_code, error.findings, ())
    except Exception as error:
        return _failure(service, ExitCode.BUG, (bug_finding(error),), ())
    summary = policy_summary(policy)
    return ServiceResult(service, ServiceStatus.UNCHANGED, ExitCode.OK, (), (), summary)


def _stored(inputs: BuildInputs, options: FleetOptions) -> Policy | None:
    if options.store is None or options.rebuilds or inputs.reads_standard_input:
        return None
    return options.store.read(inputs, allows_misses=options.allows_misses)


def _write_files(stem: str, inputs: BuildInputs, policy: Policy) -> None:
    write_policy(policy, stem)
    write_record(stem, inputs, policy)


def _failure(
    service: Service,
    exit_code: ExitCode,
    findings: tuple[Finding, ...],
    reasons: tuple[str, ...],
) -> ServiceResult:
    return ServiceResult(service, ServiceStatus.FAILED, exit_code, findings, reasons, None)


def _compile(task: _CompileTask) -> _Attempt:
    try:
        compiled = compile_opened(
            open_kind(task.spec),
            overrides=task.overrides,
            threads=task.threads,
            judging=Judging(task.allows_misses),
        )
    except TailcError as error:
        return _Attempt(error.exit_code, error.findings)
    except Exception as error:
        return _Attempt(ExitCode.BUG, (bug_finding(error),))
    return _Attempt(ExitCode.OK, compiled.findings, compiled.policy)


def _write(due: _DueService, attempt: _Attempt | LostTask, options: FleetOptions) -> ServiceResult:
    """Write the policy and the record of a service, and return its result."""
    if isinstance(attempt, LostTask):
        message = "every process that compiled it was killed"
        hint = "the memory may be too small: give a lower `--jobs`"
        lost = Finding(Code.LOST_TASK, message, Place(due.service.spec), hint)
        return _failure(due.service, ExitCode.MISSING_PART, (lost,), due.reasons)
    if attempt.policy is None:
        return _failure(due.service, attempt.exit_code, attempt.findings, due.reasons)
    stem = options.stem(due.service)
    try:
        _write_files(stem, due.inputs, attempt.policy)
        if options.store is not None:
            options.store.write(due.inputs, attempt.policy, allows_misses=options.allows_misses)
    except TailcError as error:
        return _failure(due.service, error.exit_code, error.findings, due.reasons)
    summary = policy_summary(attempt.policy)
    findings, reasons = attempt.findings, due.reasons
    return ServiceResult(
        due.service, ServiceStatus.COMPILED, ExitCode.OK, findings, reasons, summary
    )


# From best to worst.
_ORDER = (Standing.PASS, Standing.UNDECIDED, Standing.FAIL, Standing.OVERLOADED)


def policy_summary(policy: Policy) -> PolicySummary:
    """Summarise a policy's estimates for the report of a fleet."""
    estimates = policy.evidence.estimates
    rows: Sequence[RateEstimate] = () if estimates is None else estimates.rows
    compared = [row.by_hand for row in rows if row.by_hand and not row.by_hand.is_overloaded]
    by_cost = is_for_cost(policy)
    changes = [one.cost_change_ppm if by_cost else one.change_ppm for one in compared]
    return PolicySummary(
        digest_of(policy),
        policy.kind,
        max((row.standing for row in rows), key=_ORDER.index, default=None),
        max((change for change in changes if change is not None), default=None),
    )
