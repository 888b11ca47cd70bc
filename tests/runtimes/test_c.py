"""The library for C against the vectors, and how it refuses files and arguments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from tailc.artifact.seal import seal
from tests.docs.blocks import blocks_of
from tests.runtimes import c
from tests.runtimes.conformance import Reader, python_says, succeeded
from tests.runtimes.damage import contradictory_payloads
from tests.runtimes.rust import cargo
from tests.tailc.artifact.published import ROOT, VECTORS

# All vectors except those of plans, whose prices it does not have.
ANSWERS = 21_307
HEADER = c.RUNTIME / "include" / "tailc.h"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return c.reader(tmp_path_factory)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c.prefix(tmp_path_factory)


def test_every_vector_is_answered_as_expected(reader: Reader) -> None:
    assert reader.run("vectors", VECTORS) == [f"{ANSWERS} answers, 0 wrong"]


def test_a_policy_that_contradicts_itself_is_refused_alike(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(5), 100, tmp_path)]
    got = reader.classified(tmp_path / "sealed", files)
    assert got == [python_says(data) for data in files]
    assert {"opened", "bad-meaning"} <= set(got)


def test_a_panic_of_rust_does_not_cross_the_border() -> None:
    assert "test result: ok" in "\n".join(cargo("test", "-p", "tailc-c"))


def test_the_header_declares_the_exported_functions(installed: Path) -> None:
    symbols = succeeded(["nm", "-D", "--defined-only", str(installed / "lib" / "libtailc.so")],
                        ROOT, dict(os.environ))  # fmt: skip
    exported = {line.split()[-1] for line in symbols}
    declared = set(re.findall(r"\b(tailc_\w+)\(", HEADER.read_text()))
    assert declared == {name for name in exported if name.startswith("tailc")}
    assert len(declared) > 40


def test_the_example_of_the_readme_runs_with_what_is_installed(
    installed: Path, tmp_path: Path
) -> None:
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        pytest.skip("no cc, or no pkg-config")
    source, steps = blocks_of((c.RUNTIME / "README.md").read_text())[:2]
    (tmp_path / "server.c").write_text(source.text)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig")}
    flags = succeeded(["pkg-config", "--cflags", "--libs", "tailc"], tmp_path, environment)
    program = tmp_path / "server"
    build = ["cc", "-std=c99", *c.STRICT, str(tmp_path / "server.c"), *flags[0].split()]
    succeeded([*build, "-o", str(program)], tmp_path, environment)
    environment["LD_LIBRARY_PATH"] = str(installed / "lib")
    assert succeeded([str(program)], ROOT, environment) == steps.text.splitlines()[-1:]


MISUSE = """
#include <stdio.h>
#include <tailc.h>
int main(void) {
  tailc_policy *policy = NULL;
  const tailc_ladder *ladder = NULL;
  tailc_answer answer;
  tailc_rung rung;
  tailc_decision decision;
  size_t count;
  tailc_schedule *schedule = NULL;
  uint64_t request, work;
#define SHOW(call) printf("%s\\n", tailc_status_name(call))
  SHOW(tailc_open(NULL, NULL, &policy));
  SHOW(tailc_open("none.tailc", NULL, &policy));
  SHOW(tailc_open("PATH", NULL, NULL));
  SHOW(tailc_open("PATH", NULL, &policy));
  SHOW(tailc_ladder_lookup(ladder, 1, 0, 0, &answer));
  SHOW(tailc_ladder_of(policy, "\\xff", &ladder));
  SHOW(tailc_ladder_of(policy, NULL, &ladder));
  SHOW(tailc_ladder_rung(ladder, 1000, &rung));
  SHOW(tailc_ladder_lookup_scaled(ladder, 1, 0, 0, 1000001, &answer));
  SHOW(tailc_tail_table(policy, NULL));
  SHOW(tailc_schedule_new(policy, 0, &schedule));
  SHOW(tailc_schedule_arrive(schedule, 0, NULL, &request, NULL));
  SHOW(tailc_schedule_arrive(schedule, 0, NULL, &request, &work));
  SHOW(tailc_schedule_decisions(schedule, NULL, 1, &count));
  SHOW(tailc_schedule_decisions(schedule, &decision, 1, &count));
  printf("%d %d\\n", (int)count, (int)request);
  tailc_schedule_free(schedule);
  tailc_policy_free(policy);
  tailc_policy_free(NULL);
  return 0;
}
"""


def test_wrong_arguments_are_statuses(installed: Path, tmp_path: Path) -> None:
    source = tmp_path / "misuse.c"
    source.write_text(MISUSE.replace("PATH", str(VECTORS / "lucene.tailc")))
    include, library = f"-I{installed}/include", str(installed / "lib" / "libtailc.a")
    build = ["cc", "-std=c99", *c.STRICT, str(source), include, library, *c.LINKED]
    succeeded([*build, "-o", str(tmp_path / "misuse")], tmp_path, dict(os.environ))
    done = subprocess.run([tmp_path / "misuse"], capture_output=True, text=True, check=True)
    invalid = "invalid-argument"
    assert done.stdout.splitlines() == [
        *(invalid, "unreadable", invalid, "ok"),
        *(invalid, invalid, "ok", invalid, invalid, "other-form"),
        *("ok", invalid, "ok", invalid, "ok", "1 1"),
    ]
