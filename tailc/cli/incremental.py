"""Compiling only where something has changed of what a policy was made from.

`STEM.inputs.json` beside a policy is the record of that. It is written last: without it, or where
it is of another policy, the policy is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.cli.outcome import Outcome
from tailc.errors import TailcError

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.pipeline.build_inputs import MadeFrom
    from tailc.pipeline.compile import AnyCompiled


@dataclass
class Again:
    """A compile that runs where it has to; `compile_once` also writes the policy.

    output: the stem, None: by the policy's name. options: of the command line, as they decide on
    the policy. explains: whether to say why it runs.
    """

    spec: str
    output: str | None
    options: Mapping[str, str]
    compile_once: Callable[[], tuple[Outcome, AnyCompiled]]
    explains: bool
    known_files: list[str] = field(default_factory=list)

    def outcome(self) -> Outcome:
        """What came of the compile, or that it was not needed. Raises TailcError as it does."""
        from tailc.pipeline.build_inputs import made_from
        from tailc.pipeline.spec import open_kind

        opened = open_kind(self.spec)
        stem = self.output or opened.spec.name
        now = made_from(opened.loaded.document, self.spec, self.options)
        reasons = _reasons(stem, now)
        if not reasons:
            text = f"{stem} is up to date: nothing that it is made from has changed"
            return Outcome(text=text, result={"files": [], "changed": []}, is_answer=False)
        made, compiled = self.compile_once()
        files = [str(file) for file in made.result["files"]]  # type: ignore[attr-defined]
        if files:
            files.append(str(_keep_record(stem, now, compiled.policy)))
        result = {**made.result, "files": files, "changed": reasons}
        return replace(made, result=result, text=self._told(reasons) + made.text)

    def _told(self, reasons: list[str]) -> str:
        lines = "".join(f"  {reason}\n" for reason in reasons)
        return f"compiled, because\n{lines}\n" if self.explains else ""

    def files(self) -> list[str]:
        """The spec, and what it names: of a spec that is none, what it named before."""
        from tailc.pipeline.build_inputs import named_files
        from tailc.specs.document import read_document

        with suppress(TailcError):
            folder = Path(self.spec).parent
            named = named_files(read_document(self.spec))
            self.known_files = [str(folder / file) for file in named]
        return [self.spec, *self.known_files]


def told_options(overrides: Mapping[str, object], previous: Policy | None) -> dict[str, str]:
    """What the command line says besides the spec that decides on the policy."""
    from tailc.artifact.json_form import digest_of

    told = {name: str(value) for name, value in overrides.items()}
    return told if previous is None else {**told, "previous": digest_of(previous)}


def _keep_record(stem: str, now: MadeFrom, policy: Policy) -> Path:
    """Write what the policy at `stem` was made from, and return that path."""
    from tailc.artifact.json_form import digest_of
    from tailc.atomic_files import replace_files
    from tailc.pipeline.build_inputs import record_of

    path = _record(stem)
    replace_files([(path, record_of(now, digest_of(policy)))])
    return path


def _record(stem: str) -> Path:
    from tailc.artifact.files import paths_of

    return paths_of(stem)[0].with_suffix(".inputs.json")


def _reasons(stem: str, now: MadeFrom) -> list[str]:
    from tailc.artifact.files import paths_of
    from tailc.pipeline.build_inputs import changes, recorded

    if now.reads_standard_input:
        return ["what standard input holds is not known before it is read"]
    absent = next((path for path in paths_of(stem) if not path.is_file()), None)
    if absent is not None:
        return [f"there is no `{absent}`"]
    record = _record(stem)
    known = recorded(record.read_bytes()) if record.is_file() else None
    if known is None:
        return [f"no `{record}` tells what `{stem}` was made from"]
    before, digest = known
    if any(_digest(path) != digest for path in paths_of(stem)):
        return [f"`{record}` is of another policy than `{stem}`"]
    return changes(before, now)


def _digest(path: Path) -> str | None:
    """Of the policy in a file; None where it holds none."""
    from tailc.artifact.files import read_whole

    try:
        return read_whole(path)[1]
    except TailcError:
        return None
