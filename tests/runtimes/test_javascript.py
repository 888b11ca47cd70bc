"""The JavaScript runtime against the vectors, against damage, and against the one in Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from tailc_runtime.differential import checksums
from tailc_runtime.raw import SCHEMA_MAJOR, SCHEMA_MINOR

from tailc.artifact.seal import seal
from tests.runtimes.conformance import Reader, python_says
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.runtimes.javascript import RUNTIME, need_node, reader
from tests.runtimes.no_policies import NO_POLICIES
from tests.tailc.artifact.published import ROOT, VECTORS

ANSWERS = 37_808
QUESTIONS = 1_500
FUZZ_QUESTIONS = 1_000_000
# Plans have no prices in this runtime, and all questions to plans are about them.
POLICIES = sorted(path for path in VECTORS.glob("*.tailc") if not path.name.startswith("plan"))


@pytest.fixture(scope="module")
def javascript() -> Reader:
    return reader()


def test_every_vector_is_answered_as_expected(javascript: Reader) -> None:
    assert javascript.run("vectors", VECTORS) == [f"{ANSWERS} answers, 0 wrong"]


def test_a_wrong_answer_is_reported_with_what_was_wanted(
    javascript: Reader, tmp_path: Path
) -> None:
    (tmp_path / "refused").mkdir()
    (tmp_path / "refused" / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    done = javascript.start("vectors", tmp_path)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


def test_random_questions_are_answered_as_python_answers_them(javascript: Reader) -> None:
    lines = javascript.run("differential", QUESTIONS, *POLICIES)
    assert lines == [line_of(path, QUESTIONS) for path in POLICIES]


@pytest.mark.fuzz
@pytest.mark.parametrize("policy", POLICIES, ids=lambda path: path.stem)
def test_many_questions_are_answered_as_python_answers_them(
    javascript: Reader, policy: Path
) -> None:
    (line,) = javascript.run("differential", FUZZ_QUESTIONS, policy)
    assert line == line_of(policy, FUZZ_QUESTIONS)


@pytest.mark.parametrize("name", ["signed/good"])
def test_every_damage_is_refused_as_python_refuses_it(javascript: Reader, name: str) -> None:
    path = VECTORS / f"{name}.tailc"
    data = path.read_bytes()
    flips = [bytearray(data) for _ in range(len(data) * 8)]
    for at, flipped in enumerate(flips):
        flipped[at // 8] ^= 1 << at % 8
    cut = [data[:size] for size in range(len(data))]
    longer = [data + bytes([byte]) for byte in range(256)]
    wanted = [python_says(bytes(damaged)) for damaged in (*flips, *cut, *longer)]
    assert javascript.run("refusals", "damages", path) == wanted


def test_sealed_nonsense_is_refused_as_python_refuses_it(
    javascript: Reader, tmp_path: Path
) -> None:
    rng = Random(3)
    files = [seal(damaged_payload(rng)) for _ in range(300)]
    assert javascript.classified(tmp_path, files) == [python_says(data) for data in files]


def test_a_policy_that_contradicts_itself_is_refused_alike(
    javascript: Reader, tmp_path: Path
) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(5), 300, tmp_path)]
    got = javascript.classified(tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if got[at] != wanted[at]]
    assert not differ, [(at, got[at], wanted[at]) for at in differ[:5]]
    assert {"opened", "bad-meaning", "bad-structure"} <= set(got)


def test_json_that_is_damaged_is_refused_as_python_refuses_it(
    javascript: Reader, tmp_path: Path
) -> None:
    """Random bytes of text are replaced, and parts that JSON permits but its canonical form not."""
    rng = Random(7)
    texts = [(VECTORS / f"{name}.json").read_bytes() for name in ("smallest", "tails", "shares")]
    files = [_with_one_other_byte(rng, rng.choice(texts)) for _ in range(400)]
    whole = texts[0]
    files += [
        whole.replace(b":1,", b":1.0,", 1),
        whole.replace(b":1,", b":01,", 1),
        whole.replace(b":1,", b":-0,", 1),
        whole.replace(b":1,", b":9007199254740992,", 1),
        whole.replace(b'"smallest"', b'"\\ud800"', 1),
        whole.replace(b'"smallest"', b'"\\u0073mallest"', 1),
        whole.replace(b'"name"', b'"__proto__"', 1),
        whole + b"\n",
        whole + b"{}",
        b'{"a":' * 100_000,
    ]
    assert javascript.classified(tmp_path, files) == [python_says(data) for data in files]


OPEN = """
import {{ readFileSync }} from "node:fs";
import {{ openPolicy }} from "{index}";
try {{
  const policy = openPolicy(readFileSync("{path}"));
  policy.ladder().lookup(10 ** 6, 0, 0);
  console.log(policy.outside);
}} catch (why) {{
  console.log(`${{why.message}}`);
}}
"""


def told_of(path: Path) -> str:
    need_node()
    script = OPEN.format(index=RUNTIME / "src" / "index.js", path=path)
    command = ["node", "--input-type=module", "-e", script]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("why", [why for why in NO_POLICIES if "JSON" not in why])
def test_a_file_that_is_no_policy_is_called_what_it_looks_like(why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(NO_POLICIES[why])
    assert why in told_of(tmp_path / "file")


def test_the_last_row_of_a_table_by_requests_in_the_system_has_no_end() -> None:
    assert told_of(VECTORS / "smallest.tailc") == "0\n"
    assert told_of(VECTORS / "lucene.tailc") == "1\n"


CALLS = """
import {{ readFileSync }} from "node:fs";
import {{ openPolicy }} from "{source}/index.js";
import {{ storedByEpoch }} from "{source}/plan_battery.js";
const open = (name) => openPolicy(readFileSync(`{vectors}/${{name}}.tailc`));
const {{ controller }} = open("controller");
const ladder = open("controller").ladder();
const {{ tailTable }} = open("tails");
const {{ budgetTable }} = open("budgets");
const span = {{ pool: 0, first_epoch: 0, epochs: 1, servers: 1 }};
const pool = {{ servers: 1, busy_mw: 1, asleep_mw: 1, migration_mj: 0 }};
const epoch = {{ battery_mj: 0, green_mw: 0 }};
const amounts = {{ capacity_mj: 1, charge_mw: 1, discharge_mw: 1, kept_ppm: 1, first_mj: 1 }};
const battery = (spans) => ({{
  epoch_s: 1, pools: [pool], epochs: [epoch], jobs: [{{ spans }}], malleable: null,
  battery: amounts,
}});
for (const call of [{calls}]) {{
  try {{
    console.log(JSON.stringify(call()));
  }} catch (why) {{
    console.log(`${{why.name}}: ${{why.message}}`);
  }}
}}
"""


def results_of(*calls: str) -> list[str]:
    """What each call returns, as JSON, or throws; in one process, because each start takes time."""
    need_node()
    functions = ", ".join(f"() => {call}" for call in calls)
    script = CALLS.format(source=RUNTIME / "src", vectors=VECTORS, calls=functions)
    command = ["node", "--input-type=module", "-e", script]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_what_is_not_bytes_is_no_empty_file() -> None:
    values = {"'lucene.tailc'": "String", "undefined": "Undefined", "Promise.resolve()": "Promise"}
    assert results_of(*(f"openPolicy({value})" for value in values)) == [
        f"TypeError: openPolicy needs the bytes of a file, a Uint8Array or an ArrayBuffer, "
        f"not {name}: read the file without an encoding, and await a Promise"
        for name in values.values()
    ]


def test_bytes_may_be_a_view_of_a_part_of_a_buffer() -> None:
    copy = "const all = new Uint8Array(data.length + 9); all.set(data, 9);"
    view = "new DataView(all.buffer, 9)"
    read = f"readFileSync('{VECTORS}/smallest.tailc')"
    call = f"{{ const data = {read}; {copy} return openPolicy({view}).name; }}"
    assert results_of(call) == ['"smallest"']


def test_numbers_that_are_not_whole_are_refused() -> None:
    subjects = {
        "ladder.lookup(1, 0.5, 0)": "the load and the times",
        "ladder.lookup(1, 0)": "the load and the times",
        "ladder.lookupScaled(1, 0, 0, 0.5)": "the output",
        "controller.step(1.5, 1)": "the measured tail",
        "tailTable.level([0.5])": "ages and elapsed work",
        "tailTable.level([1], 0, 0, NaN)": "`scalePpm`",
        "budgetTable.lookup(1)": "the decoding sequences",
    }
    refusals = results_of(*subjects)
    assert len(refusals) == len(subjects)
    for refusal, subject in zip(refusals, subjects.values(), strict=True):
        assert refusal.startswith("RangeError: ")
        assert subject in refusal
        assert "whole number" in refusal


def test_a_job_may_have_more_spans_than_a_call_has_arguments() -> None:
    (stored,) = results_of("storedByEpoch(battery(Array(200_000).fill(span)))")
    assert stored == '[{"batteryMj":0,"storedMj":1}]'


def test_the_package_is_complete() -> None:
    manifest = json.loads((RUNTIME / "package.json").read_text())
    assert "dependencies" not in manifest
    entry = manifest["exports"]["."]
    assert all((RUNTIME / path).is_file() for path in entry.values())
    assert (RUNTIME / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    sources = [path.read_text() for path in (RUNTIME / "src").glob("*.js")]
    imports = [name for text in sources for name in re.findall(r'from "(.+)"', text)]
    assert imports
    assert all(name.startswith("./") for name in imports), "browsers have no modules of Node.js"


def test_the_schema_is_that_of_the_other_readers() -> None:
    source = (RUNTIME / "src" / "schema.js").read_text()
    assert f"SCHEMA_MAJOR = {SCHEMA_MAJOR};" in source
    assert f"SCHEMA_MINOR = {SCHEMA_MINOR};" in source


def test_every_public_member_is_declared() -> None:
    """Names of methods and fields in the declarations are those in the classes."""
    declared = (RUNTIME / "src" / "index.d.ts").read_text()
    for module in ("ladder", "tail_table", "budget_table", "controller", "plan", "policy"):
        source = (RUNTIME / "src" / f"{module}.js").read_text()
        members = re.findall(r"^ {4}this\.(\w+) = ", source, re.MULTILINE)
        members += re.findall(r"^ {2}(?:get )?([a-z]\w*)\(.*\) \{$", source, re.MULTILINE)
        assert members
        for name in set(members) - {"constructor"}:
            assert re.search(rf"\b{name}\b", declared), f"`{name}` of {module}.js"


def line_of(policy: Path, questions: int) -> str:
    return " ".join(f"{checksum:016x}" for checksum in checksums(policy, 1, questions))


def _with_one_other_byte(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(1, len(data))
    middle = bytes([rng.choice(b'{}[]:,"0123456789-. aez\\\x00\xff')])
    return data[:at] + middle + data[at + rng.randrange(2) :]
