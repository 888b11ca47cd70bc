"""Every kind: encodings, same bytes, evidence, and refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.cli import run
from tailc.diff.behaviour import behaviour
from tailc.errors import ExitCode
from tailc.experiment.options import VerifyOptions
from tailc.policies import KINDS
from tailc.studies.held_out import read_held_out
from tests.tailc.policies.cases import write_case
from tests.tailc.policies.compiled import compiled_apart

QUICK = ("--requests", "2000", "--replicates", "60", "--no-progress")


def test_both_encodings_read_back_as_the_same_policy(compiled, tmp_path):
    by_suffix = {path.suffix: path for path in write_policy(compiled.policy, tmp_path / "again")}
    assert read_policy(by_suffix[".json"]) == compiled.policy
    assert read_policy(by_suffix[".tailc"]) == compiled.policy
    for suffix, path in by_suffix.items():
        assert path.read_bytes() == compiled.stem.with_suffix(suffix).read_bytes()


@pytest.fixture
def apart(tmp_path_factory) -> Path:
    """Where another process has compiled all kinds, on one thread."""
    return compiled_apart(tmp_path_factory)


def test_a_second_compile_gives_the_same_bytes(compiled, apart):
    """In another folder, with other hashes, on one thread and not two."""
    second = apart / compiled.policy.kind / "policy"
    for suffix in (".json", ".tailc"):
        assert second.with_suffix(suffix).read_bytes() == (
            compiled.stem.with_suffix(suffix).read_bytes()
        )


def test_compiles_do_without_pandas(apart):
    """It comes with a solver, and to import it takes a third of a second."""
    assert not list(apart.glob("*/pandas"))


def test_the_evidence_covers_every_row_and_names_its_inputs(compiled):
    policy = compiled.policy
    assert policy.inputs
    assert policy.evidence.settings
    assert policy.evidence.rows or not policy.ladders
    assert policy.evidence.proof
    for row in policy.evidence.rows:
        assert row.bound_us is None or row.bound_us <= row.objective_us
        assert row.tail_low_us <= row.tail_us
        assert row.tail_high_us is None or row.tail_us <= row.tail_high_us


def test_verify_refuses_what_the_policy_was_compiled_from(compiled, tailc):
    has_demand = compiled.policy.ladders or compiled.policy.tail_table
    words = QUICK if has_demand else ()
    ended = tailc("verify", compiled.stem, "--trace", compiled.case.design, *words)
    assert "TC0601" in ended.err


def test_a_policy_differs_in_nothing_from_itself(compiled, tailc):
    ended = tailc("diff", compiled.stem, compiled.stem, "--exit-code", "--output-format", "json")
    assert ended.code == 0
    assert json.loads(ended.out)["result"]["differs"] is False


def test_a_diff_with_itself_changes_no_request_and_no_quantity(compiled):
    if not compiled.policy.ladders and not compiled.policy.tail_table:
        pytest.skip("its replays have no demands of requests: shares, plans and token budgets")
    held_out = read_held_out(compiled.policy, str(compiled.case.held_out)).profile
    options = VerifyOptions(requests_per_replay=400, replicates=49)
    change = behaviour(compiled.policy, compiled.policy, held_out, options)
    # On whole cores a decision depends on the other requests, so it is unknown here.
    assert change.decisions.requests > 0 or change.decisions.unknown
    assert change.decisions.changed_requests == 0
    changes = [quantity.change for point in change.points for quantity in point.quantities]
    assert changes
    for each in changes:
        assert each.old == each.new
        assert each.difference == 0
        assert {each.low, each.high} <= {0, None}


def test_inspect_says_what_the_policy_promises(compiled, tailc):
    ended = tailc("inspect", compiled.stem, "--rows")
    assert ended.code == 0
    assert compiled.policy.name in ended.out
    assert compiled.policy.kind in ended.out
    for slo in compiled.policy.slos:
        assert str(slo) in ended.out


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_later_objective_that_no_policy_can_meet_is_refused_where_it_stands(
    kind, tmp_path, capsys
):
    case = write_case(kind, tmp_path)
    spec = case.spec.read_text()
    if "slo: [" not in spec:
        pytest.skip(f"kind `{kind}` promises no latency")
    later = "{percentile: 99%, latency: 2us}, {percentile: 99%, latency: 3us}"
    case.spec.write_text(re.sub(r"slo: \[(.*)\]", rf"slo: [\1, {later}]", spec))
    assert run(["compile", str(case.spec), "--no-progress"]) == ExitCode.INFEASIBLE
    message = capsys.readouterr().err
    assert "`p99 <= 2 us` cannot be met" in message
    assert "`p99 <= 3 us` cannot be met" in message
    assert "relax the latency to more than" in message
    assert f"service.yaml:{1 + spec[: spec.index('slo: [')].count(chr(10))}:" in message
