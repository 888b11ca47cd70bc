"""Reports of a compile: the policy, its solution and what else was computed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tailc.pipeline.compile import AnyCompiled
from tailc.report.additions import additions_result, additions_text
from tailc.report.policy import policy_result, policy_text
from tailc.report.solutions import find_renderer
from tailc.units import printable


def compiled_result(compiled: AnyCompiled) -> dict[str, object]:
    """Build the JSON result of a compile: the policy, the solution's data, and the additions."""
    result = policy_result(compiled.policy) | find_renderer(compiled).solution_result(compiled)
    return result | additions_result(compiled)


def compiled_text(compiled: AnyCompiled, paths: Sequence[Path], *, is_written: bool = True) -> str:
    """Format the result of a compile: table first, last the files that were or would be written."""
    paragraphs = (find_renderer(compiled).solution_text(compiled), *additions_text(compiled))
    did = "wrote" if is_written else "would write"
    files = "\n".join(f"{did} {printable(str(path))}" for path in paths)
    return "\n\n".join([policy_text(compiled.policy), *paragraphs, files])
