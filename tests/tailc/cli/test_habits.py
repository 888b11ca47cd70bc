"""What all commands have in common: -q, -v, -o, `-`, usage errors, and files that are there."""

import io
import subprocess
import sys

import click
import pytest

import tailc
from tailc.cli import BELOW, COMMANDS, group

# Those that only say which commands are below them do nothing.
EVERY = [(name,) for name in COMMANDS if name not in ("tune", "fit", "fleet")] + list(BELOW)


@pytest.fixture
def piped(monkeypatch):
    """Put bytes where standard input is."""

    def put(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


def options_of(words):
    """By name, the options of a command, with what is there in place of a value."""
    with click.Context(group) as context:
        _, command, _ = group.resolve_command(context, list(words))
        return {
            name: option
            for option in command.params
            if isinstance(option, click.Option)
            for name in option.opts
        }


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_an_option_means_the_same_on_every_command(words):
    options = options_of(words)
    assert (options["-q"].name, options["-v"].name) == ("quiet", "verbose")
    if "-o" in options:
        assert options["-o"] is options["--output"]
    for name in ("--output", "--trace", "--report"):
        if name in options:
            assert options[name].metavar in ("FILE", "FOLDER", "STEM", "SPEC")


def test_quiet_leaves_out_warnings_and_what_was_done(compiled, tailc):
    loud, quiet = tailc("compile", "toy.yaml"), tailc("compile", "toy.yaml", "-q")
    assert "warning[" in loud.err
    assert "wrote" in loud.out
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_quiet_keeps_answers_and_errors(compiled, tailc):
    asked = ("lookup", "toy", "--in-system", "3")
    assert tailc(*asked, "-q").out == tailc(*asked).out != ""
    assert "error[TC0701]" in tailc("inspect", "gone.tailc", "-q").err


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "toy", "--trace", "toy.csv", "--allow-compile-trace", "--baselines", "none"),
        ("why", "toy", "--in-system", "3"),
        ("diff", "toy", "toy"),
        ("inspect", "toy"),
        ("compile", "toy.yaml", "--dry-run"),
    ],
    ids=lambda words: words[0],
)
def test_quiet_leaves_an_answer_as_it_is(compiled, tailc, words):
    assert tailc(*words, "-q").out == tailc(*words).out != ""


@pytest.mark.parametrize(
    "words",
    [
        ("compile", "toy.yaml", "-o", "again"),
        (
            "ingest",
            "toy.csv",
            "--column",
            "demand_ms",
            "--measure",
            "demand-busy",
            "-o",
            "p.profile",
        ),
        ("embed", "toy", "--lang", "c", "-o", "toy.h"),
        ("keygen", "k"),
        ("check", "toy.yaml"),
    ],
    ids=lambda words: words[0],
)
def test_quiet_prints_nothing_if_the_result_is_a_file_or_the_exit_code(compiled, tailc, words):
    ended = tailc(*words, "-q")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_the_rule_of_quiet_is_in_every_help(words):
    assert options_of(words)["-q"].help == (
        "Print only errors and answers; nothing if the result is written to a file."
    )


def test_verbose_says_the_version_each_pass_and_the_end(compiled, tailc):
    first, *passes, last = tailc("compile", "toy.yaml", "-v", "-o", "v").err.splitlines()
    assert first.startswith("tailc ")
    assert any(" s  " in line and line.endswith("...") for line in passes)
    assert last.endswith("exit 0 (OK)")


def test_quiet_and_verbose_are_not_both(compiled, tailc):
    assert tailc("inspect", "toy", "-q", "-v").code == 64


@pytest.mark.parametrize("ending", [".tailc", ".json"])
@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "-"),
        ("lookup", "-", "--in-system", "3"),
        ("diff", "-", "toy"),
        ("why", "-", "--in-system", "3"),
        ("embed", "-", "--lang", "c", "-o", "toy.h"),
        ("report", "-", "-o", "page.html"),
        ("compile", "toy.yaml", "--previous", "-"),
    ],
)
def test_a_policy_may_come_by_standard_input(compiled, tailc, piped, words, ending):
    piped((compiled / f"toy{ending}").read_bytes())
    ended = tailc(*words)
    assert ended.code == 0, ended.err


def test_a_policy_to_judge_may_come_by_standard_input(compiled, tailc, piped):
    piped((compiled / "toy.tailc").read_bytes())
    words = ("--trace", "toy.csv", "--allow-compile-trace", "--requests", "100")
    assert tailc("verify", "-", *words, "--replicates", "49", "--baselines", "none").code in (0, 4)


def test_standard_input_is_read_once(compiled, tailc):
    ended = tailc("verify", "-", "--trace", "-")
    assert (ended.code, "standard input can be read only" in ended.err) == (64, True)


def test_damage_on_standard_input_is_told_as_of_a_file(compiled, tailc, piped):
    data = (compiled / "toy.tailc").read_bytes()
    piped(data[:-9] + b"x" + data[-8:])
    assert tailc("inspect", "-").code == 5


def test_a_policy_on_standard_input_is_signed_into_a_file(compiled, tailc, piped):
    assert tailc("keygen", "release").code == 0
    data = (compiled / "toy.tailc").read_bytes()
    piped(data)
    assert "give `-o FILE`\n" in tailc("sign", "-", "--key", "release.key").err
    assert tailc("sign", "-", "--key", "release.key", "-o", "signed").code == 0
    assert tailc("inspect", "signed", "--trust", "release.pub").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compile",), "missing argument 'SPEC'"),
        (("inspect", "toy", "--rowz"), "--rows"),
        (("verify", "toy", "--trace", "toy.csv", "--seed", "x"), "--seed"),
        (("compil",), "did you mean `compile`"),
        (("vary",), "use its new name, `sweep`"),
        (("report", "toy"), "give `-o FILE.html`, or `--plot` to draw in the terminal\n"),
    ],
)
def test_a_usage_error_has_a_code_and_a_hint(compiled, tailc, words, said):
    ended = tailc(*words)
    assert (ended.code, ended.out) == (64, "")
    assert ended.err.startswith("error[TC0801]: ")
    assert said in ended.err
    assert "= help: `tailc" in ended.err


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("compile", "toy.yaml", "-o", "kept"), "kept.json"),
        (("init", "toy.csv", "-o", "kept.yaml"), "kept.yaml"),
    ],
)
def test_a_file_that_is_there_is_kept_without_force(compiled, tailc, words, file):
    (compiled / file).write_text("mine\n")
    ended = tailc(*words)
    assert (ended.code, (compiled / file).read_text()) == (73, "mine\n")
    assert "error[TC0702]" in ended.err
    assert "give another path with `-o`, or `--force`" in ended.err


def test_force_replaces_what_is_no_policy(compiled, tailc):
    (compiled / "kept.json").write_text("mine\n")
    assert tailc("compile", "toy.yaml", "-o", "kept", "--force").code == 0
    assert tailc("inspect", "kept.json").code == 0


def test_no_folder_is_made_that_nobody_named(compiled, tailc):
    before = [path for path in compiled.rglob("*") if path.is_dir()]
    assert tailc("compile", "toy.yaml").code == 0
    assert [path for path in compiled.rglob("*") if path.is_dir()] == before


def test_the_package_runs_as_a_module():
    call = [sys.executable, "-m", "tailc", "--version"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == f"tailc, version {tailc.__version__}\n"
