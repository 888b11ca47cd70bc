"""--output-format: every format of every command, and several at once."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tailc.cli.output_option import FORMATS
from tests.tailc.schemas import validate
from tests.tailc.toy import write_toy

LINE = json.loads(
    (Path(__file__).parents[3] / "schemas/report/output-line-1.schema.json").read_text()
)


@pytest.fixture
def toy(in_folder):
    (in_folder / "bad.yaml").write_text("kind: few-to-many\nquantam: 5ms\n")
    return write_toy(in_folder)


def test_formats_go_to_files_at_once_and_text_to_the_terminal(toy, tailc, in_folder):
    words = [f"--output-format={form}:out/{form}.txt" for form in FORMATS]
    ended = tailc("check", toy, "bad.yaml", *words)
    assert ended.code == 65
    assert "2 checked, " in ended.out
    assert "quantam" in ended.err
    for form in FORMATS:
        alone = tailc("check", toy, "bad.yaml", "--output-format", form)
        written = (in_folder / f"out/{form}.txt").read_text()
        assert written.endswith(alone.out)
        assert alone.code == 65
        assert "quantam" in written


def test_the_same_command_writes_the_same_bytes_again(toy, tailc):
    for form in FORMATS:
        words = ("check", toy, "bad.yaml", "--output-format", form)
        assert tailc(*words).out == tailc(*words).out


def test_one_format_may_take_the_place_of_text(toy, tailc, in_folder):
    ended = tailc("check", toy, "--output-format", "json", "--output-format", "junit:a.xml")
    assert json.loads(ended.out)["exit_code"] == 0
    root = ElementTree.fromstring((in_folder / "a.xml").read_text())
    assert [case.get("name") for case in root.iter("testcase")] == [toy]


@pytest.mark.parametrize("command", ["check", "compile", "schema"])
def test_every_line_of_json_lines_is_as_its_schema_says(toy, tailc, command):
    given = {"schema": "few-to-many"}.get(command, toy)
    ended = tailc(command, given, "--output-format", "jsonl")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    for line in lines:
        validate(line, LINE)
    assert [line["type"] for line in lines].count("result") == 1
    assert lines[-1]["command"] == command
    whole = json.loads(tailc(command, given, "--output-format", "json").out)
    assert lines[-1]["result"] == whole["result"]


def test_a_command_without_cases_is_a_case_itself(toy, tailc):
    root = ElementTree.fromstring(tailc("compile", toy, "--output-format", "junit").out)
    (case,) = root.iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("tailc compile", toy)
    assert case.find("failure") is None
    again = ("diff", "toy.tailc", "build/other.tailc", "--exit-code")
    assert tailc("compile", toy, "--objective", "threads", "-o", "build/other").code == 0
    (case,) = ElementTree.fromstring(tailc(*again, "--output-format", "junit").out).iter("testcase")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "differs"


def test_a_wrong_command_line_writes_no_file(tailc, in_folder):
    ended = tailc("check", "--output-format", "sarif:a.sarif", "--output-format", "json")
    assert ended.code == 64
    assert json.loads(ended.out)["findings"][0]["code"] == "TC0801"
    assert not (in_folder / "a.sarif").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["jsn"], "there is no format `"),
        (["json:"], "`json:` has no file: write `json:FILE`"),
        (["junit:out/"], "`junit:out/` has no file:"),
        (["json:-"], "`json:-` is not a file: write `json` for standard output"),
        (["json", "text"], "only one format can go to standard output"),
        (["json:a", "sarif:./a"], "two formats would be"),
        (["json:toy.yaml"], "`json:toy.yaml` would replace another file of this command:"),
        (["json:../{folder}/toy.yaml"], "would replace another file of this command:"),
        (["json:link.yaml"], "`json:link.yaml` would replace another file of this command:"),
    ],
)
def test_a_target_that_cannot_be_is_refused(toy, tailc, in_folder, words, said):
    before = (in_folder / "toy.yaml").read_bytes()
    (in_folder / "link.yaml").symlink_to("toy.yaml")
    words = [word.format(folder=in_folder.name) for word in words]
    options = [part for word in words for part in ("--output-format", word)]
    ended = tailc("check", "toy.yaml", *options)
    assert ended.code == 64
    assert said in ended.err + ended.out
    assert (in_folder / "toy.yaml").read_bytes() == before


@pytest.mark.parametrize("words", [["-o", "new"], []])
def test_a_report_does_not_replace_the_artifact_that_was_compiled(toy, tailc, in_folder, words):
    stem = words[1] if words else "toy"
    ended = tailc("compile", toy, *words, "--output-format", f"json:{stem}.json")
    assert ended.code == 64
    assert "would replace another file of this command:" in ended.err
    if not words:
        assert tailc("inspect", f"{stem}.json").code == 0


@pytest.mark.parametrize(
    "words", [("check",), ("compile",), ("compile", "--dry-run"), ("split", "-o", "parts")]
)
def test_a_report_does_not_replace_the_trace_that_a_spec_names(toy, tailc, in_folder, words):
    before = (in_folder / "toy.csv").read_bytes()
    ended = tailc(*words, toy, "--output-format", "junit:toy.csv")
    assert ended.code == 64
    assert "`junit:toy.csv` would replace another file of this command:" in ended.err
    assert (in_folder / "toy.csv").read_bytes() == before


def test_a_report_replaces_neither_file_of_a_stem(toy, tailc, in_folder):
    assert tailc("compile", toy, "-o", "toy").code == 0
    for ending in ("json", "tailc"):
        before = (in_folder / f"toy.{ending}").read_bytes()
        ended = tailc("diff", "toy", "toy", "--output-format", f"markdown:toy.{ending}")
        assert ended.code == 64
        assert (in_folder / f"toy.{ending}").read_bytes() == before


def test_a_report_does_not_replace_the_page_of_the_same_command(toy, tailc, in_folder):
    assert tailc("compile", toy, "-o", "toy").code == 0
    ended = tailc("report", "toy", "-o", "a.html", "--output-format", "json:a.html")
    assert ended.code == 64
    assert not (in_folder / "a.html").exists()


def test_a_file_that_cannot_be_written_is_told_beside_the_result(toy, tailc, in_folder):
    (in_folder / "full").write_text("a file, and no folder")
    words = ("--output-format", "json", "--output-format", "sarif:full/a.sarif")
    ended = tailc("check", toy, *words)
    assert ended.code == 73
    document = json.loads(ended.out)
    assert document["result"]["checked"] == 1
    assert [finding["code"] for finding in document["findings"]] == ["TC0702"]
