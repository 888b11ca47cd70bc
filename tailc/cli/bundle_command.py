"""The command `tailc bundle`: run a command, and collect what a report of its fault needs."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome

# Keys of specs whose values are words of the language, and no names of the user.
_PUBLIC_KEYS = frozenset(
    ("apiVersion", "kind", "unit", "measure", "method", "objective", "policy", "solver", "format")
)
_QUANTITY = re.compile(r"[-+]?[0-9][0-9.,_]{0,30}\s?[A-Za-z%/0-9]{0,20}")
_SPEC_SUFFIXES = (".yaml", ".yml", ".json")
# All members have this time, so that equal content gives equal bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@click.command(
    "bundle",
    short_help="Collect what a report of a fault needs.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@click.option(
    "--bundle",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    default="tailc-bundle.zip",
    show_default=True,
    metavar="FILE",
    help="File to write.",
)
@command_with_outcome
def command(words: tuple[str, ...], path: Path) -> CommandOutcome:
    """Run COMMAND, a command of tailc with its options, and write a ZIP archive about its run.

    The archive has the words, exit code and duration of the command, versions of Python, system and
    packages, all output with a log of events, and the specs. The paths of files in COMMAND and the
    texts in specs are replaced by `text-1`, `text-2`, ..., also in the output; keys of specs, and
    names that only traces and policies have, are not. Traces and policies are not included. Read
    it before you send it. Exits 0 if the archive was written.
    """
    from tailc.atomic_files import refuse_unwritable, replace_files

    if words[0] == "bundle":
        raise click.UsageError("a bundle cannot be about `bundle`: give another command")
    if path.is_file() and not zipfile.is_zipfile(path):
        raise click.UsageError(f"`{path}` exists, and is no ZIP archive: give another --bundle")
    refuse_unwritable([path])
    texts: dict[str, str] = {}
    for word in words:
        if Path(word).is_file():
            _add(word, texts)
    specs = [_redacted_spec(word, texts) for word in words if _is_spec(word)]
    run = _run(words)
    texts |= {f"{Path.cwd()}/": "", f"{Path.home()}/": "~/"}
    members = {
        "command.json": _json({"words": [_replaced(one, texts) for one in words], **run["about"]}),
        "versions.json": _json(_versions()),
        "stdout.txt": _replaced(run["stdout"], texts),
        "events.ndjson": _replaced(run["stderr"], texts),
        **{f"spec-{number}.json": spec for number, spec in enumerate(specs, 1)},
    }
    replace_files([(path, _zipped(members.items()))])
    code = run["about"]["exit_code"]
    return CommandOutcome(
        text=f"the command ended with exit code {code}\nwrote {path}: {', '.join(members)}",
        result={"exit_code": code, "files": [str(path)]},
        is_answer=False,
    )


def _run(words: tuple[str, ...]) -> dict[str, Any]:
    """Run the command in a process of its own, with tracebacks and a log of events."""
    import subprocess

    environment = os.environ | {"TAILC_DEBUG": "1", "TAILC_LOG_FORMAT": "json"}
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tailc", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    about = {"exit_code": done.returncode, "seconds": round(time.monotonic() - begun, 3)}
    stdout, stderr = (one.decode("utf-8", "replace") for one in (done.stdout, done.stderr))
    return {"about": about, "stdout": stdout, "stderr": stderr}


def _versions() -> dict[str, Any]:
    import platform

    from tailc.pipeline.build_inputs import package_versions

    return {
        "python": sys.version,
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "packages": package_versions(),
        "variables": sorted(name for name in os.environ if name.startswith("TAILC_")),
    }


def _is_spec(word: str) -> bool:
    return word.endswith(_SPEC_SUFFIXES) and Path(word).is_file()


def _redacted_spec(path: str, texts: dict[str, str]) -> str:
    """The spec as JSON with texts replaced; the findings if it cannot be read."""
    from tailc.errors import TailcError
    from tailc.specs.document import read_document

    try:
        return _json(_redacted(read_document(path).root, "", texts))
    except TailcError as error:
        return _json({"unreadable": [one.code.ident for one in error.findings]})


def _redacted(node: Any, key: str, texts: dict[str, str]) -> Any:
    from tailc.specs.tree import Mapping, Sequence

    if isinstance(node, Mapping):
        return {name: _redacted(entry.value, name, texts) for name, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [_redacted(item, key, texts) for item in node.items]
    is_public = key in _PUBLIC_KEYS or not isinstance(node.value, str)
    return node.value if is_public or _QUANTITY.fullmatch(node.text) else _add(node.text, texts)


def _add(text: str, texts: dict[str, str]) -> str:
    return texts.setdefault(text, f"text-{len(texts) + 1}") if text.strip() else text


def _replaced(text: str, texts: dict[str, str]) -> str:
    """The text without what was replaced in specs, where it is whole words; longer texts first."""
    forms = {form: new for known, new in texts.items() for form in (known, json.dumps(known)[1:-1])}
    known = sorted(forms, key=len, reverse=True)
    pattern = re.compile("|".join(map(_whole_words, known)))
    return pattern.sub(lambda found: forms[found[0]], text)


def _whole_words(text: str) -> str:
    """Pattern that matches the text, but not within a longer word."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", text) else ""
    return f"{before}{re.escape(text)}{after}"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _zipped(members: Iterable[tuple[str, str]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text)
    return buffer.getvalue()
