"""Whether two versions of tailc say the same: every command on the examples, recorded and compared.

    python -m bench.outputs record before --tailc ../released/.venv/bin/tailc
    python -m bench.outputs record after
    python -m bench.outputs compare before after

`record` runs what `bench.outputs_plan` lists in a copy of the examples, in a temporary folder and
by paths relative to it, so that recordings from different folders compare. It writes one JSON file
a run: the exit code, the text for people, the JSON report, and every file that the run wrote; of
pages, pictures, Parquet and FlatBuffers the SHA-256. A run that fails is recorded likewise.

`compare` prints a table of the runs, then what differs: of JSON the pointer with the old and the
new value, of text a unified diff. It exits 1 where anything differs.

All runs are in one process of the interpreter that the executable names in its first line, which
saves most of the time of a short command. Both recordings need the same versions of libraries,
which stand in the evidence of a policy, and `make clean-cache` before, since numba does not notice
every change of a kernel.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from bench.outputs_compare import compare
from bench.outputs_plan import Run, runs
from bench.outputs_policies import LOG, POLICIES, Policy
from bench.timing import ROOT, seconds

COPIED = ("examples", "schemas", "docs/gallery", "tests/tailc/ingest/samples")
WORKER = Path(__file__).with_name("outputs_worker.py")
REPORT = "report.json"
# Files whose text says what is in them; of others the digest is enough.
TEXTS = {".c", ".cpp", ".csv", ".go", ".h", ".hpp", ".java", ".profile", ".rs", ".yaml"}
# What a person's settings change: the width and colours of text, keys, and which tailc is imported.
SETTINGS = {
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONPATH": "",
    "TAILC_TRUST": "",
}


@dataclass(frozen=True)
class Answer:
    """The exit code of tailc, and what it printed."""

    exit: int | str | None
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Recorded:
    """What came of a run; `report` is None where tailc ended before it wrote one."""

    arguments: str
    answer: Answer
    report: object
    files: Mapping[str, object]


def main() -> None:
    """Record, or compare and exit 1 where something differs."""
    asked = _parser().parse_args()
    if asked.verb == "compare":
        sys.exit(compare(asked.before, asked.after))
    record(asked.folder, asked.tailc.resolve())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record", help="run every command; write a file a run")
    recording.add_argument("folder", type=Path, help="new folder to write into")
    own = Path(sys.executable).with_name("tailc")
    recording.add_argument("--tailc", type=Path, default=own, help="executable to run")
    comparing = verbs.add_parser("compare", help="list the differences; exit 1 if there is one")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    return parser


def record(folder: Path, tailc: Path) -> None:
    """Write the recording of `tailc` into `folder`, which must not be there yet."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        prepare(work)
        with started(tailc, work) as worker:
            for run in runs():
                _tell(run, seconds(lambda run=run: _record_run(run, worker, work, folder)))


def _tell(run: Run, took_s: float) -> None:
    print(f"{took_s:6.1f} s  {run.name}", flush=True)


def prepare(work: Path) -> None:
    """Copy the examples, and write the further specs and traces that the runs need."""
    for name in COPIED:
        shutil.copytree(ROOT / name, work / name)
    (work / "build").mkdir()
    for policy in POLICIES:
        if policy.values:
            (work / policy.spec).write_text(changed(policy, work), encoding="utf-8")
    (work / LOG).write_text("\n".join(("at_s,demand_ms,class", *logged())) + "\n")
    (work / "examples/steps.csv").write_text("duration,rate\n10s,40/s\n5s,0/s\n20s,30/s\n")
    (work / "examples/tests.txt").write_text(
        "apiVersion: tailc/v1\nkind: policy-tests\npolicy: lucene-fm/expected.tailc\ntests:\n"
        "  - {name: idle, lookup: {in-system: 1}, expect: {start: now}}\n"
    )
    (work / "examples/tokens.csv").write_text(
        "ContextTokens,GeneratedTokens\n300,20\n90,4\n1800,150\n"
    )


def changed(policy: Policy, work: Path) -> str:
    """The text of the policy's spec: its base with its values."""
    spec = yaml.safe_load((work / policy.base).read_text(encoding="utf-8"))
    for path, value in policy.values.items():
        *above, last = path.split(".")
        at = spec
        for key in above:
            at = at.setdefault(key, {})
        at[last] = value
        if value is None:
            del at[last]
    return yaml.safe_dump(spec, sort_keys=False)


def logged() -> Iterator[str]:
    """Rows of 3,000 requests, 20 a second but for a silence: when, how long, and of which class."""
    rng, at_s = random.Random(1), 0.0
    for number in range(3_000):
        at_s += rng.expovariate(20) + 120 * (number == 1_000)
        yield f"{at_s:.6f},{rng.lognormvariate(4.5, 0.8):.4f},{rng.choice('aab')}"


def started(tailc: Path, work: Path) -> subprocess.Popen[str]:
    """A worker that runs the script `tailc` by its interpreter, in the folder `work`."""
    interpreter = tailc.read_text(encoding="utf-8").splitlines()[0].removeprefix("#!")
    # Without -P the scripts of this folder would stand in for modules of their names.
    return subprocess.Popen(
        [*shlex.split(interpreter), "-P", WORKER, tailc],
        cwd=work,
        env={**os.environ, **SETTINGS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        bufsize=1,
    )


def _record_run(run: Run, worker: subprocess.Popen[str], work: Path, folder: Path) -> None:
    text = json.dumps(asdict(recorded(run, worker, work)), indent=1, sort_keys=True)
    (folder / f"{run.name}.json").write_text(f"{text}\n", encoding="utf-8")


def recorded(run: Run, worker: subprocess.Popen[str], work: Path) -> Recorded:
    """What comes of the run in the folder `work`."""
    before = _stamps(work)
    formats = ["--output-format", "text", "--output-format", f"json:{REPORT}"]
    answer = _ask(worker, [*shlex.split(run.arguments), *formats])
    report = _read_output(work / REPORT)
    files = {
        path.relative_to(work).as_posix(): content(path)
        for path, stamp in sorted(_stamps(work).items())
        if before.get(path) != stamp
    }
    return Recorded(run.arguments, answer, report, files)


def _ask(worker: subprocess.Popen[str], arguments: list[str]) -> Answer:
    """The worker's answer; a worker that a run has ended cannot go on."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(json.dumps(arguments), file=worker.stdin)
    answer = worker.stdout.readline()
    if not answer:
        sys.exit(f"tailc has ended its process, with {worker.wait()}: {shlex.join(arguments)}")
    return Answer(**json.loads(answer))


def _read_output(path: Path) -> object:
    """The JSON of a file, which is then away; None: there is no file."""
    if not path.exists():
        return None
    value = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    return value


def _stamps(work: Path) -> dict[Path, int]:
    """When each file was last written [ns]."""
    return {path: path.stat().st_mtime_ns for path in work.rglob("*") if path.is_file()}


def content(path: Path) -> object:
    """The value of a JSON file, the text of a text, and the digest of anything else."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix in TEXTS:
        return path.read_text(encoding="utf-8")
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


if __name__ == "__main__":
    main()
