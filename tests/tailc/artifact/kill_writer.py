"""Run in a process of its own: write a policy pair, killed before each file operation in turn.

    python -m tests.tailc.artifact.kill_writer FOLDER

FOLDER holds `old.json`, `old.tailc` and `new.json`. For operation number k = 0, 1, ... the folder
FOLDER/k gets the old pair as `p.json` and `p.tailc`, and a child that writes the new policy there
ends without any clean-up just before its k-th operation, a write half done. The last child, which
runs out of operations, is not killed. Prints the number of children.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tailc.artifact.files import read_policy, write_policy

OPERATIONS = ("open", "write", "fsync", "close", "replace", "unlink")


def main(folder: Path) -> int:
    policy = read_policy(folder / "new.json")
    number, killed = 0, True
    while killed:
        target = folder / str(number)
        target.mkdir()
        for suffix in (".json", ".tailc"):
            shutil.copy(folder / f"old{suffix}", target / f"p{suffix}")
        child = os.fork()
        if child == 0:
            die_before(number)
            write_policy(policy, target / "p")
            os._exit(0)
        killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
        number += 1
    return number


def die_before(number: int) -> None:
    """Make the operation with this number, counted from 0, the end of this process."""
    left = [number]

    def deadly(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def count(*arguments: Any, **named: Any) -> Any:
            if left[0] == 0:
                if name == "write":
                    operation(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os._exit(9)
            left[0] -= 1
            return operation(*arguments, **named)

        return count

    for name in OPERATIONS:
        setattr(os, name, deadly(name, getattr(os, name)))


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
