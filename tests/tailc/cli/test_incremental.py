"""A compile that runs only where something has changed, and says what."""

import json
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.pipeline.build_inputs import build_inputs, named_files
from tailc.specs.document import parse_document
from tests.tailc.cli.compiling import compile_in
from tests.tailc.schemas import validate
from tests.tailc.toy import SPEC, TRACE, write_toy

AGAIN = ("compile", "toy.yaml", "-o", "toy", "--explain-rebuild")
OUTPUT = json.loads((Path(__file__).parents[3] / "schemas/report/output-1.schema.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("incremental")
    write_toy(folder)
    compile_in(folder, *AGAIN[1:])
    return folder


@pytest.fixture
def made(folder, copied):
    return copied(folder)


def written(folder):
    names = ("toy.tailc", "toy.json", "toy.inputs.json")
    return {name: (folder / name).read_bytes() for name in names}


def test_nothing_is_compiled_where_nothing_has_changed(made, tailc):
    before = (made / "toy.tailc").stat().st_mtime_ns
    ended = tailc(*AGAIN)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "toy is up to date: no input has changed\n"
    assert (made / "toy.tailc").stat().st_mtime_ns == before
    document = json.loads(tailc(*AGAIN, "--output-format", "json").out)
    validate(document, OUTPUT)
    assert document["result"] == {"files": [], "changed": []}


def test_comments_and_layout_of_the_spec_are_no_change(made, tailc):
    (made / "toy.yaml").write_text(f"# Monday\n{SPEC}".replace("cores: 6", "cores:  6"))
    assert "up to date" in tailc(*AGAIN).out


CHANGES = {
    "a value": (
        lambda at: (at / "toy.yaml").write_text(SPEC.replace("cores: 6", "cores: 5")),
        "spec `server.cores`: `5`, was `6`",
    ),
    "a new key": (
        lambda at: (at / "toy.yaml").write_text(SPEC.replace("50ms}", "50ms, max_in_system: 5}")),
        "spec `search.max_in_system`: `5` is new",
    ),
    "a row of the trace": (
        lambda at: (at / "toy.csv").write_text(TRACE + "3,100\n"),
        "file `toy.csv`: has other content",
    ),
    "no policy": (lambda at: (at / "toy.tailc").unlink(), "there is no `toy.tailc`"),
    "no record": (
        lambda at: (at / "toy.inputs.json").unlink(),
        "`toy.inputs.json` is missing, which states the inputs of `toy`",
    ),
    "a broken record": (
        lambda at: (at / "toy.inputs.json").write_text("{}"),
        "`toy.inputs.json` is missing, which states the inputs of `toy`",
    ),
    "a damaged policy": (
        lambda at: (at / "toy.tailc").write_bytes(b"TLC"),
        "`toy.inputs.json` belongs to another policy than `toy`",
    ),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=CHANGES)
def test_it_says_what_has_changed_and_compiles(made, tailc, change, reason):
    change(made)
    ended = tailc(*AGAIN)
    assert ended.code == 0
    assert ended.out.startswith(f"compiled, because\n  {reason}\n\n")
    assert read_policy(made / "toy.tailc") == read_policy(made / "toy.json")
    assert "up to date" in tailc(*AGAIN).out


def test_an_option_and_a_version_count_too(made, tailc, monkeypatch):
    assert "option `objective`: `threads` is new" in tailc(*AGAIN, "--objective", "threads").out
    for module in ("versions", "build_inputs"):
        monkeypatch.setattr(f"tailc.pipeline.{module}.__version__", "9.0.0")
    out = tailc(*AGAIN).out
    assert "option `objective`: is gone" in out
    assert "version of `tailc`: `9.0.0`, was `0.1.0`" in out


def test_a_policy_of_another_compile_is_made_again(made, tailc):
    tailc("compile", "toy.yaml", "-o", "toy", "--objective", "threads")
    assert "to another policy than" in tailc(*AGAIN).out


def test_a_signed_policy_is_still_the_one_that_was_made(made, tailc):
    assert tailc("keygen", "keys").code == 0
    assert tailc("sign", "toy.tailc", "--key", "keys.key").code == 0
    assert "up to date" in tailc(*AGAIN).out


def test_a_failed_compile_changes_nothing(made, tailc):
    before = written(made)
    (made / "toy.csv").write_text(TRACE + "3,none\n")
    assert tailc(*AGAIN).code == 65
    assert written(made) == before


def test_incremental_says_no_reasons_and_a_dry_run_writes_no_record(in_folder, tailc):
    write_toy(in_folder)
    ended = tailc("compile", "toy.yaml", "-o", "toy", "--incremental", "--dry-run")
    assert ended.code == 0
    assert "because" not in ended.out
    assert not (in_folder / "toy.inputs.json").exists()


def test_a_spec_by_standard_input_is_refused_and_a_trace_so_read_is_not_known(tailc):
    assert tailc("compile", "-", "--incremental").code == 64
    document = parse_document(SPEC.replace("toy.csv", "'-'"), "toy.yaml")
    assert build_inputs(document, "toy.yaml", {}).reads_standard_input
    assert named_files(document) == ()


def test_a_report_needs_a_compile(made, tailc):
    assert tailc(*AGAIN, "--report", "toy.html").code == 64
