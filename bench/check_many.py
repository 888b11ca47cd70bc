"""How long `tailc check` takes for 1,000 specs at once, beside one spec, right and wrong ones.

    python -m bench.check_many

The specs are those of examples/ in turn, each with a name of its own; of the wrong ones each has
a key misspelled. One process each, the least of several turns, warm caches.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench.timing import ROOT, end, least_seconds, show, wanted

COUNT = 1_000
TURNS = 5
LIMIT_S = 3.0
TAILC = [sys.executable, "-c", "from tailc.cli import main; main()"]


def main() -> None:
    """Print one line for each list of specs."""
    with tempfile.TemporaryDirectory() as folder:
        right, wrong = written(Path(folder))
        taken = least_seconds(
            {
                "one spec": partial(check, right[:1], 0),
                f"{COUNT:,} specs": partial(check, right, 0),
                f"{COUNT:,} specs to JSON": partial(check, right, 0, "--output-format", "json"),
                f"{COUNT:,} specs with an error each": partial(check, wrong, 65),
            },
            TURNS,
        )
    header = ["checked", "seconds", f"{LIMIT_S:g} s / time"]
    rows = [[name, f"{took:.2f}", wanted(LIMIT_S / took, 1)] for name, took in taken.items()]
    show(header, rows)
    end()


def written(folder: Path) -> tuple[list[str], list[str]]:
    """Paths of the right and of the wrong specs; what the examples name lies beside them."""
    right, wrong = [], []
    files = sorted((ROOT / "examples").glob("*/*.yaml"))
    # Rules of Prometheus and settings of CI systems are no specs.
    examples = itertools.cycle(one for one in files if "apiVersion: tailc/" in one.read_text())
    for number, example in zip(range(COUNT), examples, strict=False):
        text = re.sub(r"^name: .*", f"name: spec-{number}", example.read_text(), flags=re.MULTILINE)
        beside = folder / example.parent.name
        if not beside.exists():
            beside.mkdir()
            for file in example.parent.iterdir():
                (beside / file.name).symlink_to(file)
        (beside / f"right-{number}.yaml").write_text(text)
        (beside / f"wrong-{number}.yaml").write_text(f"{text}ratse: [30/s]\n")
        right.append(str(beside / f"right-{number}.yaml"))
        wrong.append(str(beside / f"wrong-{number}.yaml"))
    return right, wrong


def check(specs: list[str], exit_code: int, *options: str) -> None:
    """Run the command as a process of its own."""
    done = subprocess.run([*TAILC, "check", *specs, *options], capture_output=True, check=False)
    assert done.returncode == exit_code, done.stderr.decode()[-2000:]


if __name__ == "__main__":
    main()
