"""Runs the steps of a workflow of GitHub Actions, as far as they are commands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# What the machines of GitHub bring along, or the network: it is not run here.
NOT_RUN = {"Install"}


@dataclass
class Night:
    """One run: its exit code, what steps put out, which ran, and what they said.

    `ran` has the steps with actions of others too, where they have a name.
    """

    code: int = 0
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    said: str = ""


def night(
    workflow: dict[str, Any],
    own_env: Mapping[str, str],
    event: str = "schedule",
    secrets: Mapping[str, str] | None = None,
) -> Night:
    """Run the steps as the service would, in its shell, as far as their conditions hold.

    Actions of others, and the steps in NOT_RUN, do nothing; `own_env` is put over the workflow's
    variables.
    """
    shutil.rmtree("out", ignore_errors=True)
    found = Night()
    known = {"github.event_name": event, "github.token": "t", "github.event.number": "7"}
    known |= {f"secrets.{name}": text for name, text in (secrets or {}).items()}
    env = {**os.environ, **workflow["env"], **own_env}
    for step in workflow["jobs"]["policy"]["steps"]:
        if step.get("name", "") in {"", *NOT_RUN} or not holds(step.get("if"), found, known):
            continue
        found.ran.append(step["name"])
        if "run" not in step:
            continue
        put_out = Path("../put-out")
        put_out.write_text("")
        own = {name: filled(text, found, known) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            env={**env, **own, "GITHUB_OUTPUT": str(put_out.absolute())},
            capture_output=True,
            text=True,
            check=False,
        )
        found.said += done.stdout + done.stderr
        pairs = (line.split("=", 1) for line in put_out.read_text().splitlines())
        found.outputs[step.get("id", "")] = dict(pairs)
        found.code = found.code or done.returncode
    return found


def value(name: str, found: Night, known: Mapping[str, str]) -> str:
    output = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", name)
    if output is not None:
        return found.outputs.get(output[1], {}).get(output[2], "")
    return known.get(name, "")


def filled(text: str, found: Night, known: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: value(match[1], found, known), str(text))


def holds(condition: str | None, found: Night, known: Mapping[str, str]) -> bool:
    """Comparisons of a name and a text, all of which hold; with `!cancelled()` after a failure."""
    parts = (condition or "").split(" && ") if condition else []
    if "!cancelled()" in parts:
        parts.remove("!cancelled()")
    elif found.code:
        return False
    for part in parts:
        match = re.fullmatch(r"([\w.]+) (==|!=) '([^']*)'", part)
        assert match is not None, part
        if (value(match[1], found, known) == match[3]) != (match[2] == "=="):
            return False
    return True
