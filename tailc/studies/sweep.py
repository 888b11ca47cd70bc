"""A spec compiled many times with other values: every variant is a whole compile.

What is wrong with a value is told before anything is compiled. What a compile finds (no policy
meets the limits, a log does not fit) is the answer of its variant, and the others go on.
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
from tailc.pipeline.spec import KIND_MODELS, KindSpec, OpenedSpec, completed
from tailc.progress import Progress, silent
from tailc.specs.document import read_document
from tailc.specs.load import LoadedSpec, check_document
from tailc.specs.tree import Document
from tailc.specs.variations import OPTION, Variation, refuse_overlap
from tailc.studies.at_rates import AtRate, at_rates
from tailc.studies.processes import Lost, of_all
from tailc.studies.shared_traces import ReadTrace, SharedTraces
from tailc.studies.simulate import STDIN
from tailc.threads import thread_count
from tailc.traces.held_cells import cells_held

MOST_VARIANTS = 1_000

# What a variant changes: (number of the variation, number of its value), in order.
Choice = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Answer:
    """What came of a variant: a policy and what it does at its rates, or the findings that say why
    there is none.
    """

    choice: Choice
    exit_code: ExitCode
    findings: tuple[Finding, ...]
    policy: Policy | None = None
    rates: tuple[AtRate, ...] = ()


@dataclass(frozen=True)
class Variants:
    """What was varied, and an answer for each variant, in the order asked."""

    variations: tuple[Variation, ...]
    answers: tuple[Answer, ...]

    def written(self, choice: Choice) -> dict[str, str]:
        """The values of a variant by path, as they were given."""
        return {self.variations[at].spelled: self.variations[at].written(n) for at, n in choice}


def compile_variants(
    spec_path: str,
    variations: Sequence[Variation],
    *,
    one_at_a_time: bool = False,
    processes: int | None = None,
    progress: Progress = silent,
) -> Variants:
    """An answer for every combination of values, the last variation changing fastest.

    `one_at_a_time`: the spec as it is, and each value by itself. `processes` None is one a
    processor; the answers do not depend on it. Raises TailcError where the spec, a path or a value
    is wrong.
    """
    refuse_overlap(variations)
    choices = _choices(variations, one_at_a_time)
    document = read_document(spec_path)
    documents = _checked(document, variations, choices)
    used = min(thread_count(processes), len(choices))
    threads = max(1, thread_count(None) // used)
    opened = [_opened(each, spec_path) for each in documents]
    cases = _Cases(choices, documents, SharedTraces(opened), spec_path, threads)
    progress("compiling variants", 0.0)

    def told(done: int) -> None:
        progress(f"compiled {done} of {len(cases)} variants", done / len(cases))

    with cells_held():
        found = of_all(_answer, cases, used, told)
    answers = (
        _lost(choice, one) if isinstance(one, Lost) else one
        for choice, one in zip(choices, found, strict=True)
    )
    return Variants(tuple(variations), tuple(answers))


def _choices(variations: Sequence[Variation], one_at_a_time: bool) -> list[Choice]:
    counts = [len(one.values) for one in variations]
    variants = 1 + sum(counts) if one_at_a_time else math.prod(counts)
    if variants > MOST_VARIANTS:
        message = f"these values make {variants:,} variants, and {MOST_VARIANTS:,} are the most"
        hint = "give fewer values, or use `--one-at-a-time`"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    if one_at_a_time:
        return [(), *(((at, n),) for at, count in enumerate(counts) for n in range(count))]
    return [tuple(enumerate(numbers)) for numbers in itertools.product(*map(range, counts))]


def _checked(
    document: Document, variations: Sequence[Variation], choices: Sequence[Choice]
) -> list[Document]:
    """The documents of all variants; TailcError with what is wrong with any, each said once."""
    found: dict[Finding, None] = {}
    of_spec = set(_complaints(document))
    documents = []
    for choice in choices:
        varied = document
        for at, number in choice:
            varied = variations[at].put(varied, number)
        documents.append(varied)
        for finding in _complaints(varied):
            is_own = finding in of_spec or _is_given(finding)
            found[finding if is_own else _caused(finding, variations, choice)] = None
    if found:
        raise TailcError(list(found))
    return documents


def _complaints(document: Document) -> Iterator[Finding]:
    """What is wrong with a spec by itself."""
    try:
        loaded = check_document(document, KIND_MODELS)
    except TailcError as error:
        yield from error.findings
    else:
        yield from _read_once(loaded)


def _read_once(loaded: LoadedSpec) -> Iterator[Finding]:
    """Several variants read standard input, which is empty after the first."""
    if cast(KindSpec, loaded.model).demand.trace == STDIN:
        message = "standard input can be read once, and every variant reads the trace"
        yield Finding(Code.USAGE, message, help="put it in a file, and name that in the spec")


def _is_given(finding: Finding) -> bool:
    """Whether the finding shows the argument that caused it."""
    return finding.place is not None and finding.place.source == OPTION


def _caused(finding: Finding, variations: Sequence[Variation], choice: Choice) -> Finding:
    """The finding with the values that cause it, which stand elsewhere."""
    given = ", ".join(
        f"`{OPTION} {variations[at].spelled}={variations[at].written(n)}`" for at, n in choice
    )
    return replace(finding, message=f"with {given}: {finding.message}")


def _opened(document: Document, spec_path: str) -> OpenedSpec | None:
    """None of one that cannot be opened, which its own process reports."""
    try:
        return completed(check_document(document, KIND_MODELS), spec_path)
    except TailcError:
        return None


@dataclass(frozen=True)
class _Case:
    """A variant as it travels to the process that compiles it."""

    choice: Choice
    document: Document
    read: ReadTrace
    spec_path: str
    threads: int


@dataclass(frozen=True)
class _Cases(Sequence[_Case]):
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
        return _Case(choice, document, self.traces.of(number), self.spec_path, self.threads)


def _answer(case: _Case) -> Answer:
    try:
        opened = completed(check_document(case.document, KIND_MODELS), case.spec_path)
        compiled = compile_opened(opened, threads=case.threads, read=case.read)
        rates = at_rates(compiled.policy, compiled.design, case.threads)
    except TailcError as error:
        return Answer(case.choice, error.exit_code, error.findings)
    return Answer(case.choice, ExitCode.OK, compiled.findings, compiled.policy, rates)


def _lost(choice: Choice, lost: Lost) -> Answer:
    how = f"signal {-lost.exit_code}" if lost.exit_code < 0 else f"exit status {lost.exit_code}"
    message = f"the process that compiled it ended with {how}"
    hint = "memory may have run out: give a lower `--jobs`"
    return Answer(
        choice, ExitCode.MISSING_PART, (Finding(Code.SOLVER_FAILED, message, None, hint),)
    )
