"""Explain an infeasible spec by its conflicting lines, with a finding at each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pydantic import ValidationError

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.build_inputs import build_inputs
from tailc.pipeline.parts import Design, trace_parts
from tailc.pipeline.solve import handler_of, solve
from tailc.pipeline.spec import OpenedSpec, complete_spec
from tailc.pipeline.trace import open_measured
from tailc.policies import KindSpec
from tailc.problems.control import ControlProblem
from tailc.specs.load import LoadedSpec, path_text
from tailc.specs.tree import plain
from tailc.studies.conflicts.lines import Values, lines_of, with_values
from tailc.studies.conflicts.search import Relaxation, Trials, relaxations
from tailc.threads import thread_count

# A trial is a compile without replays. It takes milliseconds for a table, and seconds for a plan.
_MOST_TRIALS = 200


def explain_conflicts(
    opened: OpenedSpec, overrides: Mapping[str, object], threads: int | None = None
) -> tuple[Finding, ...]:
    """Report the lines of a spec that conflict, each with the nearest value that resolves it.

    Empty for a kind without lines that may change, for other causes, and for a conflict that only
    replays show.
    """
    lines = list(lines_of(opened.loaded.document, opened.kind.soft_lines))
    document = opened.loaded.document
    if not lines or build_inputs(document, opened.path, {}).reads_standard_input:
        return ()
    written = plain(document.root)
    design = trace_parts(opened, open_measured(opened)).design
    model = type(opened.loaded.model)

    def is_right(values: Values) -> bool:
        try:
            model.model_validate(with_values(written, lines, values))
        except ValidationError:
            return False
        return True

    def is_feasible(values: Values) -> bool:
        checked = model.model_validate(with_values(written, lines, values))
        loaded = LoadedSpec(checked, document)
        try:
            again = complete_spec(loaded, opened.path)
            spec = again.spec.with_search(overrides)
            return _can_be_met(replace(again, loaded=loaded), spec, design, thread_count(threads))
        except TailcError:
            return False

    relaxed_lines = relaxations(lines, Trials(is_right, is_feasible, _MOST_TRIALS))
    return tuple(_findings(relaxed_lines, opened.loaded, _replays_after(opened, overrides)))


def _can_be_met(opened: OpenedSpec, spec: KindSpec, design: Design, threads: int) -> bool:
    for candidate in opened.kind.candidates(spec):
        try:
            problem = opened.kind.reduce(candidate, design)
            opened.kind.emit(candidate, problem, solve(problem, threads))
            handler_of(problem).check_slos(problem, spec, opened.loaded)
        except TailcError:
            continue
        return True
    return False


def _replays_after(opened: OpenedSpec, overrides: Mapping[str, object]) -> str:
    """A note about the parts of a compile that trials omit; empty if there are none."""
    control = opened.kind.control(opened.spec.with_search(overrides), opened.loaded)
    is_tuned = isinstance(control, ControlProblem)
    return "; the replays that tune the controller may require more" if is_tuned else ""


def _findings(relaxed_lines: list[Relaxation], loaded: LoadedSpec, after: str) -> Iterator[Finding]:
    for relaxed in relaxed_lines:
        line = relaxed.line
        message = f"`{path_text(line.path)}`: `{line.text}` {_among(relaxed.among)}"
        yield Finding(Code.IN_THE_WAY, message, loaded.place(*line.path), _hint(relaxed, after))


def _among(lines: int) -> str:
    if lines == 1:
        return "cannot be met, even if all other lines change"
    return (
        "cannot be met together with "
        f"{'the other line' if lines == 2 else f'the other {lines - 1} lines'}"
    )


def _hint(relaxed: Relaxation, after: str) -> str:
    if relaxed.least is None:
        return "no value of this line alone resolves the conflict"
    word = "or more" if relaxed.line.is_raised else "or less"
    rest = (
        "if all other lines stay" if relaxed.is_only else ("after the other conflicts are resolved")
    )
    return f"`{relaxed.line.value(relaxed.least)}` {word} would do, {rest}{after}"
