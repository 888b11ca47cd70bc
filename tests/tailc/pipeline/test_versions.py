"""What the evidence names of where a policy comes from."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest
from tailc_solvers.backends.adapters import Backend

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.artifact.json_form import encode_json
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.solve import handler_of
from tailc.pipeline.versions import versions
from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.problem import Problem
from tailc.problems.thresholds import ThresholdMethod
from tailc.specs.document import parse_document
from tests.tailc.pipeline import cores
from tests.tailc.pipeline.clusters.instances import cluster
from tests.tailc.pipeline.racks.problems import problem as racks
from tests.tailc.toy import SPEC, with_lines, write_toy

BY_CP_SAT = PlanSearch(PlanMethod.MIP, "cp-sat")
AS_DATA = {
    "apiVersion": "tailc/v1",
    "kind": "few-to-many",
    "name": "toy",
    "slo": [{"percentile": "99%", "latency": "200ms"}],
    "demand": {
        "trace": "toy.csv",
        "column": "demand_ms",
        "unit": "ms",
        "measure": "demand-busy",
        "reference": "one thread",
    },
    "speedup": [1, 1.5, 2],
    "server": {"cores": 6, "target_parallelism": 6, "quantum": "5ms"},
    "search": {"method": "grid", "step": "50ms"},
    "rates": ["10/s"],
}


def told(spec: str, *backends: Backend) -> dict[str, str]:
    return dict(versions(parse_document(spec, "toy.yaml"), backends))


def test_the_spec_is_named_by_the_digest_of_its_canonical_json(tmp_path: Path) -> None:
    canonical = json.dumps(AS_DATA, sort_keys=True, separators=(",", ":")).encode()
    policy = compile_policy(write_toy(tmp_path)).policy
    assert dict(policy.evidence.versions)[COMPILED_SPEC] == hashlib.sha256(canonical).hexdigest()


def test_comments_and_the_order_of_keys_change_no_byte_of_a_policy(tmp_path: Path) -> None:
    first, *lines = SPEC.splitlines(keepends=True)
    rates = lines.pop()
    moved = f"# Measured in June.\n{first}{rates}{''.join(lines)}"
    before = encode_json(compile_policy(write_toy(tmp_path)).policy)
    assert encode_json(compile_policy(write_toy(tmp_path, moved)).policy) == before


@pytest.mark.parametrize(
    ("old", "new"), [("200ms", "201ms"), ("200ms", "0.2s"), ("[10/s]", "[10/s, 20/s]")]
)
def test_another_value_is_another_spec(old: str, new: str) -> None:
    assert told(with_lines((old, new)))[COMPILED_SPEC] != told(SPEC)[COMPILED_SPEC]


def test_general_solvers_are_named_where_they_were_asked() -> None:
    assert set(told(SPEC)) == {"numba", "numpy", "tailc", COMPILED_SPEC}
    assert told(SPEC, Backend.SCIP)["ortools"] == version("ortools")
    both = told(SPEC, Backend.CP_SAT, Backend.HIGHS)
    assert (both["ortools"], both["highspy"]) == (version("ortools"), version("highspy"))


@pytest.mark.parametrize(
    ("problem", "wanted"),
    [
        (cores.problem(), set()),
        (cores.problem(method=ThresholdMethod.CONVEX), {Backend.CLARABEL}),
        (cores.problem(method=ThresholdMethod.MIP), {Backend.HIGHS}),
        (cores.problem(method=ThresholdMethod.MIP, solver="scip"), {Backend.SCIP}),
        (racks(green_w=[0]), {Backend.HIGHS}),
        (racks(green_w=[0], search=BY_CP_SAT), {Backend.CP_SAT, Backend.HIGHS}),
        (cluster([0], []), {Backend.HIGHS}),
    ],
)
def test_the_solvers_are_those_that_a_problem_asks(problem: Problem, wanted: set[Backend]) -> None:
    assert handler_of(problem).backends(problem) == wanted
