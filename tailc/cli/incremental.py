"""Incremental compile: compile only if an input of the policy has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.cli.outcome import CommandOutcome
from tailc.errors import TailcError

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.pipeline.compile import AnyCompiled


@dataclass
class IncrementalCompile:
    """A compile that runs only if an input of the policy has changed.

    compile_once: compiles, and writes the policy. output: stem of the files; None: named after the
    policy. options: command-line options that affect the policy. explains: whether to print why it
    compiles. known_files: files that the spec named before.
    """

    spec: str
    output: str | None
    options: Mapping[str, str]
    compile_once: Callable[[], tuple[CommandOutcome, AnyCompiled]]
    explains: bool
    known_files: list[str] = field(default_factory=list)

    def outcome(self) -> CommandOutcome:
        """Compile if an input changed; the outcome says why, or that nothing has changed.

        Raises TailcError as a compile does.
        """
        from tailc.pipeline.build_inputs import build_inputs
        from tailc.pipeline.spec import open_kind
        from tailc.studies.build_record import reasons_to_compile, write_record

        opened = open_kind(self.spec)
        stem = self.output or opened.spec.name
        now = build_inputs(opened.loaded.document, self.spec, self.options)
        reasons = reasons_to_compile(stem, now)
        if not reasons:
            text = f"{stem} is up to date: no input has changed"
            return CommandOutcome(text=text, result={"files": [], "changed": []}, is_answer=False)
        compiled_outcome, compiled = self.compile_once()
        files = [str(file) for file in compiled_outcome.result["files"]]  # type: ignore[attr-defined]
        if files:
            files.append(str(write_record(stem, now, compiled.policy)))
        result = {**compiled_outcome.result, "files": files, "changed": reasons}
        return replace(
            compiled_outcome, result=result, text=self._explanation(reasons) + compiled_outcome.text
        )

    def _explanation(self, reasons: list[str]) -> str:
        lines = "".join(f"  {reason}\n" for reason in reasons)
        return f"compiled, because\n{lines}\n" if self.explains else ""

    def files(self) -> list[str]:
        """The spec and the files that it names; the files that it named before if it is invalid."""
        from tailc.pipeline.build_inputs import named_files
        from tailc.specs.document import read_document

        with suppress(TailcError):
            folder = Path(self.spec).parent
            named = named_files(read_document(self.spec))
            self.known_files = [str(folder / file) for file in named]
        return [self.spec, *self.known_files]


def policy_options(overrides: Mapping[str, object], previous: Policy | None) -> dict[str, str]:
    """Command-line options that affect the policy, as text."""
    from tailc.artifact.json_form import digest_of

    texts = {name: str(value) for name, value in overrides.items()}
    return texts if previous is None else {**texts, "previous": digest_of(previous)}
