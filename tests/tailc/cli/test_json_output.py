"""What every command prints as JSON is what its schema says."""

import json

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.cli.json_schemas import DIFF, OUTPUT, SCHEMAS
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

SIZE = json.loads((SCHEMAS / "report/size-1.schema.json").read_text())
VERDICT = json.loads((SCHEMAS / "report/verdict-2.schema.json").read_text())
POLICY = json.loads((SCHEMAS / "artifact/policy-1.12.schema.json").read_text())

QUICK = ("--requests", "400", "--replicates", "50", "--baselines", "seq")

COLUMN = ("--column", "demand_ms", "--unit", "ms", "--measure", "demand-busy")
SERVER = ("--cores", "6", "--slo", "p99 <= 200ms", "--speedup", "1,1.5,2", "--reference", "a CPU")


@pytest.fixture(scope="module")
def of_all(tmp_path_factory):
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(400))
    held_out = ("reference: one thread", "reference: one thread\n  held_out: 25%")
    folder = tmp_path_factory.mktemp("json")
    write_toy(folder, with_lines(held_out), "request,demand_ms\n" + rows)
    compile_in(folder, "toy.yaml", "-o", "toy")
    return folder


@pytest.fixture
def folder(of_all, copied):
    return copied(of_all)


def test_a_command_that_does_not_exist_has_a_document_too(tailc):
    document = json.loads(tailc("nonsense", "--output-format", "json").out)
    validate(document, OUTPUT)
    assert document["command"] == "tailc"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "toy.yaml", "--with-trace"],
        ["check", "gone.yaml"],
        ["check", "toy.yaml", "--statistics"],
        ["config", "fleet", "compile"],
        ["compile"],
        ["compile", "toy.yaml", "-o", "again"],
        ["compile", "toy.yaml", "-o", "again", "--incremental"],
        ["diff", "toy.tailc", "toy.json"],
        ["diff", "toy.tailc", "toy.json", "--report", "toy.html"],
        ["diff", "toy.tailc", "gone.json"],
        ["embed", "toy.tailc", "--lang", "cpp", "-o", "toy.hpp"],
        ["explain", "TC0104"],
        ["explain", "TC9999"],
        ["fmt", "toy.yaml"],
        ["fmt", "toy.yaml", "--diff"],
        ["fmt", "gone.yaml"],
        ["ingest", "toy.csv", *COLUMN, "-o", "toy.profile"],
        ["ingest", "gone.csv", "-o", "toy.profile"],
        ["init", "toy.csv", *COLUMN, *SERVER, "-o", "first.yaml"],
        ["inspect", "toy.tailc"],
        ["keygen", "keys"],
        ["lookup", "toy.tailc", "--in-system", "3"],
        ["why", "toy.tailc", "--in-system", "3"],
        ["migrate", "toy.tailc", "toy.json", "toy.yaml"],
        ["migrate", "gone.tailc"],
        ["report", "toy.tailc", "-o", "toy.html"],
        ["report", "gone.tailc", "-o", "toy.html"],
        ["rollback", "toy.tailc", "--over", "toy.tailc", "-o", "back"],
        ["schema", "few-to-many"],
        ["sign", "toy.tailc", "--key", "gone.key"],
        ["simulate", "toy.yaml", *QUICK],
        ["simulate", "gone.yaml"],
        ["sweep", "toy.yaml", "--set", "server.cores=2", "--jobs", "1"],
        ["size", "toy.tailc", "--trace", "toy.csv", "--fleet-rate", "900/s", *QUICK],
        ["size", "toy.tailc", "--trace", "gone.csv"],
        ["split", "toy.yaml", "-o", "part"],
        ["verify", "toy.tailc", "--trace", "toy.csv", "--requests", "400", "--replicates", "50"],
        ["verify", "toy.tailc", "--trace", "gone.csv"],
    ],
)
def test_the_document_is_as_its_schema_says(folder, tailc, arguments):
    ended = tailc(*arguments, "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    assert document["command"] == arguments[0]
    assert document["exit_code"] == ended.code
    assert bool(document["result"]) == (ended.code in (0, 1, 4) or arguments[0] == "check")
    if document["result"] and arguments[0] in ("compile", "inspect"):
        validate(document["result"]["policy"], POLICY)
    if arguments[0] == "diff" and document["result"]:
        validate(document["result"], DIFF)
    if arguments[0] == "size" and document["result"]:
        validate(document["result"], SIZE)
    if arguments[0] in ("simulate", "verify") and document["result"]:
        validate(document["result"], VERDICT)
