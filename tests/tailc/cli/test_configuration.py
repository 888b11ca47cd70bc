"""Options from tailc.toml, from variables, and their precedence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailc.errors import ExitCode

ANSWER = "running: "


@pytest.fixture
def policy(compiled, monkeypatch):
    monkeypatch.delenv("TAILC_OUTPUT_FORMAT", raising=False)
    return "toy.tailc"


def write(folder, text, name="tailc.toml"):
    (folder / name).write_text(text)


def origin(tailc, option, *words):
    """Value and origin of an option, as `tailc config` prints them."""
    rows = json.loads(tailc("config", *words, "--output-format", "json").out)["result"]["options"]
    row = next(row for row in rows if row["option"] == option)
    return row["value"], row["from"]


def test_a_file_sets_options_of_a_command(policy, in_folder, tailc):
    assert tailc("lookup", policy).code == ExitCode.USAGE
    write(in_folder, "[lookup]\nin-system = 3\n")
    assert ANSWER in tailc("lookup", policy).out


def test_the_line_precedes_the_variable_the_variable_the_file_and_the_file_the_default(
    in_folder, tailc, monkeypatch
):
    assert origin(tailc, "--in-system", "lookup") == ("", "default")
    write(in_folder, "quiet = true\n\n[lookup]\nin-system = 3\n")
    assert origin(tailc, "--in-system", "lookup") == ("3", "tailc.toml:4")
    monkeypatch.setenv("TAILC_LOOKUP_IN_SYSTEM", "7")
    assert origin(tailc, "--in-system", "lookup") == ("7", "TAILC_LOOKUP_IN_SYSTEM")
    assert origin(tailc, "--quiet", "lookup") == ("true", "tailc.toml:1")


def test_an_option_on_the_line_replaces_that_of_the_file(policy, in_folder, tailc):
    write(in_folder, 'output-format = ["json"]\nquiet = true\n[lookup]\nin-system = 3\n')
    document = json.loads(tailc("lookup", policy).out)
    assert document["exit_code"] == 0
    assert ANSWER in tailc("lookup", policy, "--output-format", "text").out
    assert "exit 0 (OK)" in tailc("lookup", policy, "-v").err


def test_commands_of_two_words_have_tables_and_variables(in_folder, tailc, monkeypatch):
    write(in_folder, "[fleet.compile]\nallow-misses = true\n")
    assert origin(tailc, "--allow-misses", "fleet", "compile") == ("true", "tailc.toml:2")
    assert origin(tailc, "--jobs", "fleet", "compile")[1] == "default"
    monkeypatch.setenv("TAILC_FLEET_COMPILE_JOBS", "2")
    assert origin(tailc, "--jobs", "fleet", "compile") == ("2", "TAILC_FLEET_COMPILE_JOBS")


def test_the_nearest_file_counts_and_a_pyproject_has_a_table(in_folder, tailc, monkeypatch):
    write(
        in_folder, '[project]\nname = "x"\n[tool.tailc.lookup]\nin-system = 5\n', "pyproject.toml"
    )
    below = in_folder / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert origin(tailc, "--in-system", "lookup")[1].endswith("/pyproject.toml:4")
    write(below, '[project]\nname = "other"\n', "pyproject.toml")
    assert origin(tailc, "--in-system", "lookup")[0] == "5"
    write(below, "[lookup]\nin-system = 6\n")
    assert origin(tailc, "--in-system", "lookup") == ("6", "tailc.toml:2")


def test_a_file_is_named_or_none_is_read(policy, in_folder, tailc):
    write(in_folder, "[lookup]\nin-system = 3\n", "ci.toml")
    write(in_folder, "nonsense\n")
    assert ANSWER in tailc("--config", "ci.toml", "lookup", policy).out
    assert ANSWER in tailc("--isolated", "lookup", policy, "--in-system", "3").out
    assert tailc("--config", "gone.toml", "lookup", policy).code == ExitCode.CANNOT_READ
    both = tailc("--config", "ci.toml", "--isolated", "lookup", policy)
    assert both.code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("quiet = \n", "tailc.toml:1:9", "not valid TOML"),
        ("qiet = true\n", "tailc.toml:1:1", "did you mean `quiet`?"),
        ("in-system = 3\n", "tailc.toml:1:1", "in its table"),
        ("lookup = 3\n", "tailc.toml:1:1", "write it as a table, `[lookup]`"),
        ("[lokup]\nage = '5ms'\n", "tailc.toml", "did you mean `lookup`?"),
        ("[lookup]\nagee = '5ms'\n", "tailc.toml:2:1", "did you mean `age`?"),
        ("[lookup]\nage = 5\n", "tailc.toml:2:1", "`5` has no unit"),
        ("[lookup]\n  in-system = -1\n", "tailc.toml:2:3", "`in-system` has a wrong value"),
        ("color = 'blue'\n", "tailc.toml:1:1", "`color` has a wrong value"),
        ("quiet = [true]\n", "tailc.toml:1:1", "one value, not a list"),
        ("trust = 'a.pub'\n", "tailc.toml:1:1", "it must be a list"),
        ("trust = ['a.pub', ['b.pub']]\n", "tailc.toml:1:1", "one value, not a list"),
        ("trust = [{a = 1}]\n", "tailc.toml:1:1", "a table is not accepted"),
        ("[lookup]\nage = {a = 1}\n", "tailc.toml:2:1", "`[lookup.age]` is no command"),
        ("[fleet]\ncompile = 3\n", "tailc.toml:2:1", "as a table, `[fleet.compile]`"),
        ("a = " + "[" * 5_000 + "]" * 5_000, "tailc.toml", "nested too deeply"),
    ],
)
def test_a_mistake_is_named_with_its_place(in_folder, tailc, text, place, words):
    write(in_folder, text)
    ended = tailc("lookup", "gone.tailc")
    assert ended.code == ExitCode.BAD_CONTENT
    assert "error[TC0114]" in ended.err
    assert f"--> {place}" in ended.err
    assert words in ended.err


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\ntailc = 3\n", "[[tool.tailc]]\n"])
def test_a_pyproject_with_another_value_than_a_table_is_refused(in_folder, tailc, text):
    write(in_folder, text, "pyproject.toml")
    ended = tailc("--config", "pyproject.toml", "config")
    assert ended.code == ExitCode.BAD_CONTENT
    assert "is no table" in ended.err


def test_a_header_with_spaces_and_quotes_is_that_of_tailc(in_folder, tailc):
    write(in_folder, '# [tool.tailc]\n[ "tool".tailc ]\nquiet = true\n', "pyproject.toml")
    assert origin(tailc, "--quiet", "lookup") == ("true", "pyproject.toml:3")


def test_a_file_of_windows_is_read(in_folder, tailc):
    (in_folder / "tailc.toml").write_bytes(b"\xef\xbb\xbfquiet = true\r\n")
    assert origin(tailc, "--quiet", "lookup") == ("true", "tailc.toml:1")


def test_a_file_that_may_not_be_read_is_named(in_folder, tailc, monkeypatch):
    write(in_folder, "quiet = true\n")

    def refuse(path, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    ended = tailc("lookup", "gone.tailc")
    assert ended.code == ExitCode.CANNOT_READ
    assert "`tailc.toml` cannot be read: permission denied" in ended.err
    assert "--isolated" in ended.err


def test_a_folder_that_was_removed_has_no_file(policy, in_folder, tailc, monkeypatch):
    gone = in_folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert ANSWER in tailc("lookup", str(in_folder / policy), "--in-system", "3").out


def test_each_option_has_a_variable(in_folder, tailc):
    ended = tailc("config", "verify")
    assert "TAILC_VERIFY_BASELINES" in ended.out
    assert ended.out.startswith("file: none\n")
    assert "TAILC_COLOR" in tailc("config").out
    assert tailc("config", "nonsense").code == ExitCode.USAGE


def test_a_variable_with_the_version_is_no_option(in_folder, tailc, monkeypatch):
    monkeypatch.setenv("TAILC_VERSION", "0.1.0")
    assert tailc("config").code == 0


def test_the_option_for_colours_precedes_variables_and_files(in_folder, tailc, monkeypatch):
    (in_folder / "bad.yaml").write_text("kind: few-to-many\n")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")

    def is_coloured(*words):
        return "\x1b[" in tailc(*words).err

    assert not is_coloured("check", "bad.yaml")
    assert is_coloured("--color", "always", "check", "bad.yaml")
    assert is_coloured("check", "bad.yaml", "--color", "always")
    assert not is_coloured("--color", "always", "check", "bad.yaml", "--color", "never")
    write(in_folder, "color = 'always'\n")
    assert is_coloured("check", "bad.yaml")
    assert not is_coloured("--color", "never", "check", "bad.yaml")
