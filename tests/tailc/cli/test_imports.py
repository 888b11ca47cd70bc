"""What each command may import: start-up time is a promise, and imports are most of it."""

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import tailc
from tailc.artifact.files import read_policy, write_policy
from tailc.cli import COMMANDS, group, run
from tests.tailc.cli.imports_case import imported
from tests.tailc.toy import with_lines, write_toy

HEAVY = {
    "control",
    "cryptography",
    "duckdb",
    "google.protobuf",
    "flatbuffers",
    "matplotlib",
    "numba",
    "numba.cpython.unicode",
    "numpy",
    "opentelemetry",
    "pyarrow",
    "pydantic",
    "resvg_py",
    "rfc8785",
    "rich",
    "ruamel",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.stats",
}
DECORATORS = ("njit", "compiled", "part")
OWN = {"tailc", "tailc_solvers"}
ARTIFACT = {"flatbuffers", "numpy", "rfc8785"}
SPEC = {"numpy", "pydantic"}
SOLVE = ARTIFACT | SPEC | {"numba", "pyarrow"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("imports")
    assert run(["compile", write_toy(folder), "-o", str(folder / "toy")]) == 0
    pq.write_table(csv.read_csv(folder / "toy.csv"), folder / "toy.parquet")
    formula = with_lines(("toy.csv", "toy.parquet"), ("rates: [10/s]\n", ""))
    (folder / "formula.yaml").write_text(formula)
    policy = read_policy(str(folder / "toy.tailc"))
    replayed = replace(policy, evidence=replace(policy.evidence, method="auto", proof="replayed"))
    write_policy(replayed, str(folder / "replayed"))
    return folder


# What each command may import of others, and how many modules of tailc it may import.
@pytest.mark.parametrize(
    ("arguments", "allowed", "most"),
    [
        (["--help"], set(), 7),
        (["--version"], set(), 7),
        (["compile", "--help"], set(), 20),
        (["verify", "--help"], set(), 25),
        (["schema"], {"pydantic"}, 37),
        (["check", "toy.yaml"], SPEC, 82),
        (["lookup", "toy.tailc", "--in-system", "3"], ARTIFACT, 77),
        (["why", "toy.tailc", "--in-system", "3"], ARTIFACT, 89),
        (["inspect", "toy.tailc"], ARTIFACT, 84),
        (["inspect", "replayed.tailc"], ARTIFACT, 84),
        (["report", "toy.tailc", "-o", "toy.html"], ARTIFACT, 149),
        (["diff", "toy.tailc", "toy.json"], ARTIFACT, 120),
        (["compile", "formula.yaml", "-o", "formula"], SOLVE, 246),
        (["compile", "toy.yaml", "-o", "again"], SOLVE, 377),
    ],
)
def test_a_command_imports_no_more_than_it_runs(folder, arguments, allowed, most):
    found = imported(folder, *arguments)
    assert found & HEAVY <= allowed
    assert len([name for name in found if name.partition(".")[0] in OWN]) <= most


def kernels_in(path):
    """The functions of a file that numba compiles."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in DECORATORS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            names = " ".join(ast.unparse(one) for one in node.decorator_list)
            if any(word in names for word in DECORATORS):
                yield node


def test_no_kernel_needs_linear_algebra():
    root = Path(tailc.__file__).parents[1]
    files = [*(root / "tailc").rglob("*.py"), *(root / "solvers" / "tailc_solvers").rglob("*.py")]
    kernels = [kernel for path in files for kernel in kernels_in(path)]
    assert len(kernels) > 100
    for kernel in kernels:
        for node in ast.walk(kernel):
            assert not isinstance(getattr(node, "op", None), ast.MatMult), kernel.name
            names = {"dot", "vdot", "matmul", "linalg", "inner", "outer"}
            assert not (isinstance(node, ast.Attribute) and node.attr in names), kernel.name


def test_numba_has_its_array_functions_without_scipy_linalg():
    script = "import numba, sys; from tailc.cli.light_numba import make_numba_light"
    script += "; make_numba_light(); import numba.np.arraymath as found; import scipy.linalg; "
    script += "print(found._HAVE_BLAS, numba.njit(lambda x: x.sum())(__import__('numpy').ones(3)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False 3.0\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_help_of_each_does(name):
    with click.Context(group) as context:
        command = group.get_command(context, name)
    assert command.get_short_help_str(limit=80) == COMMANDS[name]


def test_the_list_of_commands_imports_none(folder):
    assert not [name for name in imported(folder, "--help") if name.endswith("_command")]
