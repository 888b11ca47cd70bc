"""Incremental compile: compile only if an input of the policy has changed.

The file `STEM.inputs.json` next to a policy records its inputs. It is written last: if it is
missing, or belongs to another policy, the policy is compiled again.
"""

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
    from tailc.pipeline.build_inputs import BuildInputs
    from tailc.pipeline.compile import AnyCompiled


@dataclass
class IncrementalCompile:
    """A compile that runs only if needed; `compile_once` also writes the policy.

    output: stem of the files; None: named after the policy. options: command-line options that
    affect the policy. explains: whether to print why it compiles.
    """

    spec: str
    output: str | None
    options: Mapping[str, str]
    compile_once: Callable[[], tuple[CommandOutcome, AnyCompiled]]
    explains: bool
    known_files: list[str] = field(default_factory=list)

    def outcome(self) -> CommandOutcome:
        """Compile if needed; the outcome says why, or that nothing has changed.

        Raises TailcError as a compile does.
        """
        from tailc.pipeline.build_inputs import build_inputs
        from tailc.pipeline.spec import open_kind

        opened = open_kind(self.spec)
        stem = self.output or opened.spec.name
        now = build_inputs(opened.loaded.document, self.spec, self.options)
        reasons = _reasons(stem, now)
        if not reasons:
            text = f"{stem} is up to date: no input has changed"
            return CommandOutcome(text=text, result={"files": [], "changed": []}, is_answer=False)
        compiled_outcome, compiled = self.compile_once()
        files = [str(file) for file in compiled_outcome.result["files"]]  # type: ignore[attr-defined]
        if files:
            files.append(str(_write_record(stem, now, compiled.policy)))
        result = {**compiled_outcome.result, "files": files, "changed": reasons}
        return replace(
            compiled_outcome, result=result, text=self._explanation(reasons) + compiled_outcome.text
        )

    def _explanation(self, reasons: list[str]) -> str:
        lines = "".join(f"  {reason}\n" for reason in reasons)
        return f"compiled, because\n{lines}\n" if self.explains else ""

    def files(self) -> list[str]:
        """The spec and the files that it names; if the spec is invalid, the files named before."""
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


def _write_record(stem: str, now: BuildInputs, policy: Policy) -> Path:
    """Write the record of the inputs of the policy at `stem`, and return its path."""
    from tailc.artifact.json_form import digest_of
    from tailc.atomic_files import replace_files
    from tailc.pipeline.build_inputs import record_bytes

    path = _record(stem)
    replace_files([(path, record_bytes(now, digest_of(policy)))])
    return path


def _record(stem: str) -> Path:
    from tailc.artifact.files import paths_of

    return paths_of(stem)[0].with_suffix(".inputs.json")


def _reasons(stem: str, now: BuildInputs) -> list[str]:
    from tailc.artifact.files import paths_of
    from tailc.pipeline.build_inputs import changed_inputs, read_record

    if now.reads_standard_input:
        return ["standard input is unknown before it is read"]
    absent = next((path for path in paths_of(stem) if not path.is_file()), None)
    if absent is not None:
        return [f"there is no `{absent}`"]
    record = _record(stem)
    record_content = read_record(record.read_bytes()) if record.is_file() else None
    if record_content is None:
        return [f"`{record}` is missing, which states the inputs of `{stem}`"]
    before, digest = record_content
    if any(_digest(path) != digest for path in paths_of(stem)):
        return [f"`{record}` belongs to another policy than `{stem}`"]
    return changed_inputs(before, now)


def _digest(path: Path) -> str | None:
    """Digest of the policy in a file; None if the file has no policy."""
    from tailc.artifact.files import read_whole

    try:
        return read_whole(path)[1]
    except TailcError:
        return None
