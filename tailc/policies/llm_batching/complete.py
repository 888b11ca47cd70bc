"""Read the profile of iterations that a spec names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.errors import Finding, TailcError
from tailc.policies.llm_batching.spec import LlmBatchingSpec, ProfiledSpec

if TYPE_CHECKING:
    from tailc.specs.load import LoadedSpec


def complete(
    spec: LlmBatchingSpec, loaded: LoadedSpec, folder: Path | None
) -> tuple[ProfiledSpec, tuple[Finding, ...]]:
    """Read the measured iterations that a spec names; findings about the file name the line.

    The line is that of the spec with the file's name.
    """
    from tailc.traces.reading import TimeUnit
    from tailc.traces.step_rows import StepRowColumns, read_step_rows

    steps = spec.engine.steps
    columns = StepRowColumns(steps.prompt, steps.decoding, steps.context, steps.time)
    path = steps.file if folder is None else str(folder / steps.file)
    try:
        rows = read_step_rows(path, columns, TimeUnit(steps.unit))
    except TailcError as error:
        place = loaded.place("engine", "steps", "file")
        named = f"named on line {place.line} of {place.source}"
        raise TailcError(
            [
                replace(one, help=f"{one.help}; {named}" if one.help else named)
                for one in error.findings
            ]
        ) from None
    return ProfiledSpec.model_construct(**spec.__dict__, step_rows=rows), ()
