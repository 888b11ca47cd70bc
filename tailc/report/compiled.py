"""What a compile found: the policy, and what stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tailc.pipeline.compile import AnyCompiled
from tailc.report.additions import additions_result, additions_text
from tailc.report.policy import policy_result, policy_text
from tailc.report.solutions import renderer_of
from tailc.units import printable


def compiled_result(compiled: AnyCompiled) -> dict[str, object]:
    """A compile's JSON result: the policy, what its type of problem tells, and the additions."""
    told = policy_result(compiled.policy) | renderer_of(compiled).solution_result(compiled)
    return told | additions_result(compiled)


def compiled_text(compiled: AnyCompiled, paths: Sequence[Path], *, is_written: bool = True) -> str:
    """What a compile found, table first, and where it was or would be written."""
    paragraphs = (renderer_of(compiled).solution_text(compiled), *additions_text(compiled))
    did = "wrote" if is_written else "would write"
    files = "\n".join(f"{did} {printable(str(path))}" for path in paths)
    return "\n\n".join([policy_text(compiled.policy), *paragraphs, files])
