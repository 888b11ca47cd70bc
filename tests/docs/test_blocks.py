"""Every block of the README and the documentation does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, Block, Step, agrees, blocks_of, documents, steps_of
from tests.docs.running import Reader

# What is only read, by document and first line: it needs a network, or is a picture.
READ_ONLY = {
    ("runtimes/rust/README.md", "use std::sync::Arc;"),
    ("runtimes/c/README.md", '$ make -C runtimes/c install PREFIX="$HOME/.local"'),
    ("runtimes/cpp/README.md", "#include <iostream>"),
    ("runtimes/cpp/README.md", "tailc::SchedulerOptions options;"),
    ("docs/replanning.md", "set -e"),
    ("docs/releasing.md", "$ sha256sum --check --strict SHA256SUMS"),
    ("docs/audit.md", "$ cargo build --release --manifest-path runtimes/audit/Cargo.toml"),
    (
        "docs/guides/llm-serving.md",
        "PYTHONPATH=examples/llm-server vllm serve MODEL --max-num-batched-tokens 16384 "
        "--max-num-seqs 64 \\",
    ),
    ("docs/guides/llm-serving.md", "pip install ./runtimes/python"),
    ("docs/guides/measure-demand.md", "perf sched record -m 4096 -- sleep 60"),
    (
        "docs/signing.md",
        "$ oras push registry.example.org/policies/search:7 "
        "search.tailc:application/vnd.tailc.policy.v1",
    ),
    ("runtimes/java/README.md", "public interface Linux extends Library { // com.sun.jna"),
    (
        "examples/llm-server/README.md",
        "  budget   TTFT [ms]     in vLLM    ITL [ms]     in vLLM  equal iterations  CPU [s]"
        "  model [s]",
    ),
    (
        "examples/llm-server/README.md",
        "make demo-llm                                # with python3.12",
    ),
    (
        "examples/sched-ext/README.md",
        "$ tailc embed examples/bing-fm/expected.tailc --lang bpf --name policy -o policy.h",
    ),
    ("docs/agent.md", "cargo install --path runtimes/agent"),
    ("docs/agent.md", "tailc-agent run host.tailc \\"),
    ("docs/agent.md", "tailc-agent bench release --batch /batch0 --cpu 1"),
    ("README.md", "git clone <this repository> tailc"),
    (
        "docs/few-to-many.md",
        "$ tailc compile examples/lucene-fm/queue.yaml -o build/queue "
        "| grep -A 7 '^tail with queues'",
    ),
    (
        "docs/few-to-many.md",
        "$ tailc compile examples/lucene-fm/queue.yaml --robust -o build/robust "
        "| grep -A 19 '^worst of'",
    ),
    (
        "docs/few-to-many.md",
        "$ tailc compile examples/lucene-fm/overload.yaml -o build/overload "
        "| grep -A 8 '^overload'",
    ),
    (
        "docs/few-to-many.md",
        "$ tailc compile rate.yaml -o build/rate | grep -A 9 '^highest rate'",
    ),
    (
        "docs/joint.md",
        "$ sed -e 's/^search: .*/search: {method: simulation}/' "
        "-e 's/speedup: .*/speedup: [1, 1.9, 2.65, 3.2]/' -e '/^target/d' "
        "-e 's/rates: .*/rates: [40\\/s, 60\\/s]/' joint.yaml > tuned.yaml",
    ),
    (
        "docs/joint.md",
        "$ sed -e 's/^search: .*/search: {method: simulation, objective: batch, "
        "requests: 60000000}/'"
        " -e 's/rates: .*/rates: [640\\/s]/' -e '/trace:/a\\  held_out: 20%' "
        "lanes.yaml > tuned-lanes.yaml",
    ),
    ("docs/slow-to-fast.md", "$ sed 's/requests: 4/requests: 8/' clocks.yaml > robust.yaml"),
    ("docs/tutorial.md", "pip install . ./runtimes/python"),
    ("examples/lucene-fm/README.md", "python examples/lucene-fm/generate.py"),
    ("examples/bing-fm/README.md", "python examples/bing-fm/generate.py"),
    ("examples/finance/README.md", "python examples/finance/measure.py"),
    ("examples/lucene-as2f/README.md", "python examples/lucene-as2f/generate.py"),
    ("examples/search/README.md", "pip install duckdb numpy pyarrow"),
    ("examples/elfen/README.md", "python examples/elfen/generate.py"),
    ("examples/greenpar/README.md", "python examples/greenpar/generate.py"),
    (
        "examples/lucene-server/README.md",
        "python examples/lucene-server/run.py --quick    # only to see it work",
    ),
    ("examples/lucene-server/README.md", "cd build/lucene-server"),
    ("examples/autopro/README.md", "python examples/autopro/measure.py"),
    # These are run by docs/gallery.py, as the test of the gallery does.
    (
        "docs/gallery.md",
        "$ tailc verify examples/search/expected.tailc --trace examples/search/heldout.parquet "
        "--rate 10/s --rate 15/s --rate 20/s --rate 25/s --requests 600 --replicates 99 "
        "--baselines all --report build/verdict.html",
    ),
    ("docs/gallery.md", "$ tailc report examples/lucene-fm/expected.tailc -o build/policy.html"),
    (
        "docs/gallery.md",
        "$ tailc diff examples/search/expected.tailc examples/bing-fm/expected.tailc "
        "--report build/change.html",
    ),
    (
        "docs/gallery.md",
        "$ tailc tune pid docs/gallery/response.csv --structure pid --report build/loop.html",
    ),
    ("docs/gallery.md", "$ tailc report examples/greenpar/expected.tailc -o build/plan.html"),
    (
        "docs/gallery.md",
        "$ tailc inspect examples/green-sla/expected.tailc --jobs-picture build/racks.svg "
        "--zone America/Denver",
    ),
    ("docs/greenpar.md", "speedup:"),
    ("docs/guides/ci.md", "podman build -t tailc ."),
    ("docs/guides/measure-demand.md", "(echo demand_us; bpftrace -q -e '"),
    ("docs/guides/measure-demand.md", 'perf stat -e task-clock -p "$(pidof server)" sleep 60'),
    ("docs/tune-pid.md", "make bench BENCH=pid_tuners"),
}

RUN = ("console", "python", "yaml")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", documents(), ids=_name)
def test_every_block_does_what_the_document_says(document: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    wrong = []
    for block in _blocks(document):
        if block.not_run is None and not block.is_directive:
            wrong += [f"{_name(document)}:{block.line}\n{text}" for text in reader.run(block)]
    assert not wrong, "\n\n".join(wrong)


def test_no_block_is_left_out_but_those_listed() -> None:
    skipped = {
        (_name(document), block.text.splitlines()[0])
        for document in documents()
        for block in _blocks(document)
        if block.not_run is not None
    }
    assert skipped == READ_ONLY


def test_every_block_is_of_a_kind_that_runs_or_says_that_it_does_not() -> None:
    unknown = [
        f"{_name(document)}:{block.line}: {block.language or 'no language'}"
        for document in documents()
        for block in _blocks(document)
        if not block.is_directive and block.not_run is None and block.file is None
        if block.language not in RUN
    ]
    assert unknown == []


def _blocks(document: Path) -> list[Block]:
    return blocks_of(document.read_text(encoding="utf-8"))


def test_a_command_goes_on_over_lines_and_has_its_output() -> None:
    (block,) = blocks_of("text\n```console\n$ cat <<E\n> one\n> E\none\n$ true\n```\n")
    assert block.line == 3
    assert steps_of(block) == [Step("cat <<E\none\nE", ("one",)), Step("true", ())]


@pytest.mark.parametrize(
    ("expected", "got", "is_right"),
    [
        (("a", "b"), ["a", "b"], True),
        (("a",), ["a", "b"], False),
        (("a", "..."), ["a", "b", "c"], True),
        (("...", "c"), ["a", "b"], False),
        (("a", "...", "c"), ["a", "c"], True),
        (("a", "...", "a"), ["a"], False),
        (("...", "b", "...", "d"), ["a", "b", "c", "d"], True),
        (("...", "c", "...", "b", "..."), ["b", "c"], False),
        (("a ... c", "d"), ["a b c", "d"], True),
        (("a ... c",), ["a b d"], False),
        (("a ... b ... c",), ["a b"], False),
        (("a...a",), ["a"], False),
        (("a...b...c",), ["a c b d c"], True),
        (("." * 90 + "x",), ["." * 90], False),
    ],
)
def test_three_dots_stand_for_any_lines_or_anything_in_a_line(
    expected: tuple[str, ...], got: list[str], is_right: bool
) -> None:
    assert agrees(expected, got) is is_right


def test_a_wrong_output_and_an_unstated_exit_are_seen(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    wrong = reader.run(Block("console", "$ echo two\none\n$ exit 3\n", 1))
    assert len(wrong) == 2
    assert "this exit: 3" in wrong[1]


def test_a_command_has_the_folder_environment_and_exit_code_of_its_shell(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    (tmp_path / "within").mkdir()
    got = reader.output_of("cd within && tailc fmt nowhere.yaml; echo $?; COLUMNS=50 tailc --help")
    assert got[0] == "error[TC0701]: `nowhere.yaml` cannot be read: no such file or directory"
    assert "66" in got
    assert max(map(len, got[got.index("66") :])) <= 50


def test_a_python_block_that_fails_is_seen(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert reader.run(Block("python", ">>> 1 + 1\n3\n", 1))
    with pytest.raises(AssertionError):
        reader.run(Block("python", "assert 1 + 1 == 3\n", 1))


def test_a_piece_of_a_spec_that_is_wrong_is_seen(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert reader.run(Block("yaml", "server: {cores: 15, target_parallelism: 24}\n", 1)) == []
    assert reader.run(Block("yaml", "server: {cores: 15}\n", 1))
