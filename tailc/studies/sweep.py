"""Compile a spec once for each combination of values; each variant is a whole compile.

Invalid values are reported before anything is compiled. Findings of a compile (no policy meets the
limits, or a log does not fit) are the result of that variant, and the other variants continue.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from tailc.artifact.envelope import Policy
from tailc.errors import Code, ExitCode, Finding, TailcError
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.spec import KIND_MODELS, KindSpec, OpenedSpec, complete_spec
from tailc.progress import Progress, silent
from tailc.specs.document import read_document
from tailc.specs.load import LoadedSpec, check_document
from tailc.specs.tree import Document
from tailc.specs.variations import OPTION, Variation, refuse_overlap
from tailc.studies.rate_results import RateResult, rate_results
from tailc.studies.shared_traces import ReadTrace, SharedTraces
from tailc.studies.simulate import STDIN
from tailc.tasks.engine import LostTask, TaskEngine
from tailc.tasks.processes import LocalProcesses
from tailc.threads import thread_count
from tailc.traces.held_cells import cells_held

MOST_VARIANTS = 1_000

# A variant: pairs of the number of a variation and the number of its value, in order.
Choice = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class VariantResult:
    """Result of one variant of a spec: a policy with its results by rate, or its findings.

    findings: if there is no policy, the reasons.
    """

    choice: Choice
    exit_code: ExitCode
    findings: tuple[Finding, ...]
    policy: Policy | None = None
    rates: tuple[RateResult, ...] = ()


@dataclass(frozen=True)
class Variants:
    """The variants of a spec that `tailc sweep` compiled, and a result for each, in order."""

    variations: tuple[Variation, ...]
    answers: tuple[VariantResult, ...]

    def values_of(self, choice: Choice) -> dict[str, str]:
        """The values of a variant of a spec, as the user gave them, by path of the key."""
        return {
            self.variations[at].path_text: self.variations[at].argument_text(n) for at, n in choice
        }


def compile_variants(
    spec_path: str,
    variations: Sequence[Variation],
    *,
    one_at_a_time: bool = False,
    engine: TaskEngine | None = None,
    progress: Progress = silent,
) -> Variants:
    """Compile every combination of values; the last variation changes fastest.

    one_at_a_time: compile the spec as it is, and each value by itself. engine: None means a
    process for each processor; the results do not depend on it. Raises TailcError for an invalid
    spec, path or value.
    """
    refuse_overlap(variations)
    choices = _choices(variations, one_at_a_time)
    document = read_document(spec_path)
    documents = _valid_documents(document, variations, choices)
    engine = engine or LocalProcesses()
    threads = max(1, thread_count(None) // min(engine.slots, len(choices)))
    opened = [_open_spec(each, spec_path) for each in documents]
    cases = _Cases(choices, documents, SharedTraces(opened), spec_path, threads)
    progress("compiling variants", 0.0)

    ended = itertools.count(1)

    def report(_number: int, _result: VariantResult | LostTask) -> None:
        done = next(ended)
        progress(f"compiled {done} of {len(cases)} variants", done / len(cases))

    with cells_held():
        outcomes = engine.run_all(_answer, cases, report)
    answers = (
        _lost_result(choice) if isinstance(one, LostTask) else one
        for choice, one in zip(choices, outcomes, strict=True)
    )
    return Variants(tuple(variations), tuple(answers))


def _choices(variations: Sequence[Variation], one_at_a_time: bool) -> list[Choice]:
    counts = [len(one.values) for one in variations]
    variants = 1 + sum(counts) if one_at_a_time else math.prod(counts)
    if variants > MOST_VARIANTS:
        message = f"these values make {variants:,} variants; the limit is {MOST_VARIANTS:,}"
        hint = "give fewer values, or use `--one-at-a-time`"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    if one_at_a_time:
        return [(), *(((at, n),) for at, count in enumerate(counts) for n in range(count))]
    return [tuple(enumerate(numbers)) for numbers in itertools.product(*map(range, counts))]


def _valid_documents(
    document: Document, variations: Sequence[Variation], choices: Sequence[Choice]
) -> list[Document]:
    """The documents of all variants; TailcError with all invalid values, each reported once."""
    problems: dict[Finding, None] = {}
    of_spec = set(_complaints(document))
    documents = []
    for choice in choices:
        varied = document
        for at, number in choice:
            varied = variations[at].insert(varied, number)
        documents.append(varied)
        for finding in _complaints(varied):
            is_own = finding in of_spec or _is_given(finding)
            problems[finding if is_own else _with_cause(finding, variations, choice)] = None
    if problems:
        raise TailcError(list(problems))
    return documents


def _complaints(document: Document) -> Iterator[Finding]:
    """Findings of an invalid spec."""
    try:
        loaded = check_document(document, KIND_MODELS)
    except TailcError as error:
        yield from error.findings
    else:
        yield from _read_once(loaded)


def _read_once(loaded: LoadedSpec) -> Iterator[Finding]:
    """A finding if the trace is standard input, which is empty for all compiles but the first."""
    if cast(KindSpec, loaded.model).demand.trace == STDIN:
        message = "standard input can be read only once, but every variant reads the trace"
        yield Finding(
            Code.USAGE, message, help=("write the trace to a file, and name it in the spec")
        )


def _is_given(finding: Finding) -> bool:
    """Whether the finding already shows the argument that caused it."""
    return finding.place is not None and finding.place.source == OPTION


def _with_cause(finding: Finding, variations: Sequence[Variation], choice: Choice) -> Finding:
    """The finding with the values that cause it, which are on the command line."""
    given = ", ".join(
        f"`{OPTION} {variations[at].path_text}={variations[at].argument_text(n)}`"
        for at, n in choice
    )
    return replace(finding, message=f"with {given}: {finding.message}")


def _open_spec(document: Document, spec_path: str) -> OpenedSpec | None:
    """None of one that cannot be opened, which its own process reports."""
    try:
        return complete_spec(check_document(document, KIND_MODELS), spec_path)
    except TailcError:
        return None


@dataclass(frozen=True)
class _VariantCase:
    """A variant in the form that is sent to the process that compiles it."""

    choice: Choice
    document: Document
    read: ReadTrace
    spec_path: str
    threads: int


@dataclass(frozen=True)
class _Cases(Sequence[_VariantCase]):
    """The variants, each made when its turn comes, so that few traces are in memory."""

    choices: Sequence[Choice]
    documents: Sequence[Document]
    traces: SharedTraces
    spec_path: str
    threads: int

    def __len__(self) -> int:
        return len(self.choices)

    def __getitem__(self, number: Any) -> Any:
        choice, document = self.choices[number], self.documents[number]
        return _VariantCase(
            choice, document, self.traces.reading_of(number), self.spec_path, self.threads
        )


def _answer(case: _VariantCase) -> VariantResult:
    try:
        opened = complete_spec(check_document(case.document, KIND_MODELS), case.spec_path)
        compiled = compile_opened(opened, threads=case.threads, read=case.read)
        rates = rate_results(compiled.policy, compiled.design, case.threads)
    except TailcError as error:
        return VariantResult(case.choice, error.exit_code, error.findings)
    return VariantResult(case.choice, ExitCode.OK, compiled.findings, compiled.policy, rates)


def _lost_result(choice: Choice) -> VariantResult:
    message = "every process that compiled it was killed"
    hint = "the memory may be too small: give a lower `--jobs`"
    return VariantResult(
        choice, ExitCode.MISSING_PART, (Finding(Code.LOST_TASK, message, None, hint),)
    )
