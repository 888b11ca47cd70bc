"""States of plans that the JavaScript runtime reads in both encodings and writes in JSON."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tailc_runtime import BegunJob, PlanState

from tests.runtimes.javascript import RUNTIME, need_node
from tests.runtimes.no_states import NO_OBJECTS, STATES, least_state, no_states

SCRIPT = f"""
import {{ readFileSync, writeFileSync }} from "node:fs";
import {{ PolicyError, openPlanState, planStateJson }} from "{RUNTIME}/src/index.js";
for (const path of process.argv.slice(1)) {{
  try {{
    writeFileSync(`${{path}}.out`, planStateJson(openPlanState(readFileSync(path))));
    console.log("read");
  }} catch (why) {{
    console.log(why instanceof PolicyError ? why.reason : why);
  }}
}}
const wrong = [{{ servers: 0 }}, {{ batteryMj: 2 ** 53 }}, {{ waiting: [""] }}, {{ atUnixS: 0.5 }},
  {{ waiting: "ab" }}];
for (const change of wrong) {{
  const state = openPlanState(readFileSync("{STATES}/empty.json"));
  try {{
    planStateJson({{ ...state, ...change }});
    console.log("written");
  }} catch (why) {{
    console.log(why instanceof PolicyError ? why.reason : why);
  }}
}}
"""


def test_states_are_read_and_written_as_by_other_runtimes(tmp_path: Path) -> None:
    need_node()
    names = sorted(path.stem for path in STATES.glob("*.json"))
    damaged = sorted((STATES / "refused").glob("*.tailc"))
    files = {f"{name}.json": (STATES / f"{name}.json").read_bytes() for name in names}
    files |= {f"{name}.tailc": (STATES / f"{name}.tailc").read_bytes() for name in names}
    files |= {"least": least_state()}
    files |= {path.name: path.read_bytes() for path in damaged}
    files |= {str(at): data for at, data in enumerate((*NO_OBJECTS, *no_states()))}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    command = ["node", "--input-type=module", "-e", SCRIPT, *(tmp_path / name for name in files)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    said = dict(zip(files, lines, strict=False))

    for name in names:
        for ending in ("json", "tailc"):
            written = (tmp_path / f"{name}.{ending}.out").read_bytes()
            assert written == (STATES / f"{name}.json").read_bytes()
    least = PlanState(1, 1, 2, (BegunJob("a", 0, (1,)),))
    assert (tmp_path / "least.out").read_bytes() == least.to_json()
    for path in damaged:
        assert path.name.startswith(said[path.name]), path.name
    others = [said[name] for name in files if name.isdigit()]
    assert set(others[: len(NO_OBJECTS)]) == {"bad-structure"}
    assert set(others[len(NO_OBJECTS) :]) == {"bad-structure", "bad-meaning"}
    assert lines[len(files) :] == ["bad-meaning"] * 5
