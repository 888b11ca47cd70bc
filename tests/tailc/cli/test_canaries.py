"""Texts of a trace and of the environment that no policy needs are in no output."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.tailc.toy import with_lines, write_toy

CANARIES = 1_000
INPUTS = {"toy.csv", "new.csv", "toy.yaml", "broken.yaml"}
COMMANDS = [
    "check toy.yaml --with-trace --output-format json:check.json",
    "compile toy.yaml -o toy --allow-misses --no-progress --output-format json:compile.json",
    "compile toy.yaml -o toy --verbose --allow-misses --output-format sarif:compile.sarif",
    "split toy.yaml --profile profile.csv",
    "lint-trace toy.csv --output-format json:lint.json",
    "ingest toy.csv --column demand_ms --measure demand-busy -o toy.profile",
    "inspect toy --rows --output-format json:inspect.json",
    "embed toy --lang c -o toy.h",
    "verify toy --trace new.csv --rate 10/s --requests 300 --replicates 49 --baselines none"
    " --no-progress --report verify.html --output-format json:verify.json"
    " --output-format junit:verify.xml",
    "report toy --trace new.csv --rate 10/s --requests 300 --replicates 49 --baselines none"
    " --no-progress -o report.html",
    "fmt toy.yaml",
    "compile broken.yaml -o broken --output-format json:failed.json",
]


def trace(rng: random.Random, canaries: list[str]) -> str:
    """A request for each canary, in its id, in its user and in its query."""
    rows = [
        f"{canary},user-{canary},q={canary},{rng.gammavariate(1.6, 30.0) + 1:.3f}"
        for canary in canaries
    ]
    return "\n".join(["request,user,query,demand_ms", *rows]) + "\n"


def write_inputs(folder: Path, rng: random.Random, canaries: list[str]) -> None:
    write_toy(folder, with_lines(("rates: [10/s]\n", "")), trace(rng, canaries))
    (folder / "new.csv").write_text(trace(rng, canaries))
    (folder / "broken.yaml").write_text(with_lines(("column: demand_ms", "column: user")))


def codes_of(words: str) -> tuple[int, ...]:
    if "broken" in words:
        return (65,)
    return (0, 1, 4) if words.startswith("verify") else (0,)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.fuzz) for n in (2, 3))])
def test_no_text_of_a_row_and_no_secret_is_in_an_output(
    seed: int, in_folder: Path, tailc, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    canaries = [f"canary{rng.getrandbits(64):016x}" for _ in range(CANARIES + 3)]
    in_trace, in_environment = canaries[:CANARIES], canaries[CANARIES:]
    names = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "TAILC_PASSPHRASE"]
    for name, canary in zip(names, in_environment, strict=True):
        monkeypatch.setenv(name, canary)
    write_inputs(in_folder, rng, in_trace)
    said = ""
    for words in COMMANDS:
        ended = tailc(*words.split())
        assert ended.code in codes_of(words), (words, ended)
        # A cell that is no number is quoted: the spec names its column.
        said += "" if "broken" in words else ended.out + ended.err
    assert "canary" not in said
    written = [path for path in in_folder.rglob("*") if path.is_file()]
    outputs = [path for path in written if path.name not in INPUTS]
    assert len(outputs) >= 14
    for path in outputs:
        assert path.name == "failed.json" or b"canary" not in path.read_bytes(), path.name
    broken = (in_folder / "failed.json").read_text()
    assert not any(canary in broken for canary in in_environment)
    assert sum(canary in broken for canary in in_trace) <= 2
