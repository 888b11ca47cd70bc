"""Running the blocks of a document in a folder of its own, as its reader would."""

from __future__ import annotations

import contextlib
import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.docs import commands
from tests.docs.blocks import ROOT, Block, agrees, steps_of
from tests.runtimes import java, rust
from tests.runtimes.agent import program

# What a reader has around him in a clone; outputs (build/) do not come along.
CARRIED = ("examples", "schemas", "runtimes")
INSTALLED = ("", "solvers", "runtimes/python")

# Top-level keys of a block that is not a whole spec replace those of this one.
WHOLE_SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: websearch
slo: [{percentile: 99%, latency: 500ms}]
demand:
  trace: design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: one thread of the machine
speedup: [1, 1.9, 2.65]
server: {cores: 15, target_parallelism: 24}
rates: [30/s]
"""

# The same for a block that tells of cores.
WHOLE_SPEC_OF_CORES = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: websearch
slo: [{percentile: 99%, latency: 500ms}]
demand:
  trace: design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: a slow core
rates: [30/s]
"""

# The same for a block that tells of lanes of a core.
WHOLE_SPEC_OF_LANES = """\
apiVersion: tailc/v1
kind: elfen
name: websearch
slo: [{percentile: 99%, latency: 500ms}]
demand:
  trace: design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: a core whose other lane is idle
server: {cores: 1}
policy: fixed
rates: [30/s]
"""

# A reader sees this once, where a module was not there yet; and the second where options are set.
UNTOLD = ("go: downloading ", "NOTE: Picked up JDK_JAVA_OPTIONS")
# What a reader builds is over before more would pay, and crates are those that tests compile too.
QUICK_BUILDS = {
    "JDK_JAVA_OPTIONS": " ".join(java.QUICK),
    "CARGO_TARGET_DIR": rust.BUILD["CARGO_TARGET_DIR"],
    "CARGO_PROFILE_DEV_DEBUG": "false",
}
# Ends the output of a command that fails where the document does not say so.
UNSTATED_EXIT = "the document does not state this exit:"


class Reader:
    """Someone who follows one document; `folder` is where."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        for name in CARRIED:
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, folder / name, ignore=_by_product)

    def run(self, block: Block) -> list[str]:
        """What does not come out as the document says, one text each."""
        if block.file is not None:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
            return []
        if "tailc-agent run" in block.text:
            program.program()
        by_language = {"console": self._console, "python": self._python, "yaml": self._spec}
        return by_language[block.language](block)

    def output_of(self, command: str) -> list[str]:
        """Lines that `command` prints in bash, stderr among them."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=_environment_with_commands(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if not line.startswith(UNTOLD)]
        if done.returncode:
            lines.append(f"{UNSTATED_EXIT} {done.returncode}")
        return lines

    def _console(self, block: Block) -> list[str]:
        wrong = []
        for step in steps_of(block):
            got = self.output_of(step.command)
            if not agrees(step.output, got):
                wanted = "\n".join(step.output)
                wrong.append(f"$ {step.command}\nprinted:\n{_joined(got)}\nwanted:\n{wanted}")
        return wrong

    def _python(self, block: Block) -> list[str]:
        name = f"line {block.line}"
        with contextlib.chdir(self.folder):
            if ">>>" not in block.text:
                source = "\n" * (block.line - 1) + block.text
                exec(compile(source, name, "exec"), self.names)
                return []
            test = doctest.DocTestParser().get_doctest(block.text, self.names, name, name, 0)
            report: list[str] = []
            doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
            self.names.update(test.globs)
            return ["".join(report)] if report else []

    def _spec(self, block: Block) -> list[str]:
        yaml = YAML(typ="safe")
        given = yaml.load(block.text)
        text = block.text
        if "apiVersion" not in given:
            whole = yaml.load(_whole_spec_for(given))
            if "timings" in given.get("demand", {}):
                del whole["speedup"]
            whole.update(given)
            with (self.folder / ".spec.yaml").open("w") as file:
                yaml.dump(whole, file)
        else:
            (self.folder / ".spec.yaml").write_text(text, encoding="utf-8")
        got = self.output_of("tailc check .spec.yaml")
        wanted = ["1 checked, 0 errors, 0 warnings"]
        return [] if got == wanted else [f"{text}is refused:\n{_joined(got)}"]


def _whole_spec_for(given: dict[str, Any]) -> str:
    """The spec that a block is a part of, by what only one kind has."""
    if "cores" in given:
        return WHOLE_SPEC_OF_CORES
    return WHOLE_SPEC_OF_LANES if "lanes" in given else WHOLE_SPEC


def _joined(lines: list[str]) -> str:
    return "\n".join(lines)


def _by_product(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("build", "target", "__pycache__")]


def _environment_with_commands() -> dict[str, str]:
    environment = _environment()
    folders = (folder_of_commands(), rust.TARGET / "debug", environment["PATH"])
    return environment | {"PATH": os.pathsep.join(map(str, folders))}


def folder_of_commands() -> Path:
    """Where the `tailc` is that has imported everything."""
    return commands.folder(tuple(_environment().items()))


def _environment() -> dict[str, str]:
    """That of a reader who has installed tailc and its runtime: 80 columns, no colour."""
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    installed = os.pathsep.join(str(ROOT / place) for place in INSTALLED)
    fixed = {"COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    return {**kept, **fixed, **QUICK_BUILDS, "PATH": path, "PYTHONPATH": installed}
