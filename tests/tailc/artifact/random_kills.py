"""Run in a process of its own: kill a writer of policies again and again, at random times.

    python -m tests.tailc.artifact.random_kills FOLDER KILLS SEED

FOLDER holds `old.json` and `new.json`. A child writes one and the other in turn to `p.json` and
`p.tailc`, until it is killed. Prints how many kills left each pair of files.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from tailc.artifact.files import read_policy, write_policy

# A write takes about a millisecond.
LONGEST_S = 0.004


def main(folder: Path, kills: int, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    policies = [read_policy(folder / f"{name}.json") for name in ("old", "new")]
    write_policy(policies[0], folder / "p")
    left: Counter[str] = Counter()
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            while True:
                for policy in reversed(policies):
                    write_policy(policy, folder / "p")
        time.sleep(rng.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        numbers = [policies.index(read_policy(folder / f"p{s}")) for s in (".json", ".tailc")]
        left[f"{numbers[0]}{numbers[1]}"] += 1
        temporary = list(folder.glob(".*.tmp"))
        left["temporary files"] += len(temporary)
        for path in temporary:
            path.unlink()
    return dict(left)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
