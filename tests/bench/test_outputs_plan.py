"""The plan of recorded outputs leaves no command out, and no kind of policy."""

from bench.outputs_plan import runs
from bench.outputs_policies import POLICIES
from bench.timing import ROOT
from tailc.cli import COMMANDS

# Each draws or needs a key, or has the time of its run: no two recordings are alike.
UNLIKE = {"keygen", "sign", "bundle"}


def test_each_run_has_a_name_of_its_own():
    names = [run.name for run in runs()]
    assert len(set(names)) == len(names)


def test_every_command_is_run():
    assert {run.arguments.split()[0] for run in runs()} == set(COMMANDS) - UNLIKE


def test_every_example_is_compiled():
    bases = {policy.base for policy in POLICIES}
    specs = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/service.yaml")}
    assert specs <= bases
