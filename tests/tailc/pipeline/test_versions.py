"""What the evidence names of where a policy comes from."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.artifact.json_form import encode_json
from tailc.pipeline.build_inputs import package_versions
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.versions import versions
from tailc.specs.document import parse_document
from tests.tailc.toy import SPEC, with_lines, write_toy

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


def versions_of(spec: str) -> dict[str, str]:
    return dict(versions(parse_document(spec, "toy.yaml")))


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
    assert versions_of(with_lines((old, new)))[COMPILED_SPEC] != versions_of(SPEC)[COMPILED_SPEC]


def test_other_versions_of_libraries_change_no_byte_of_a_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_toy(tmp_path)
    before = encode_json(compile_policy(path).policy)
    monkeypatch.setattr("tailc.pipeline.build_inputs.version", lambda _: "99.0")
    assert package_versions()["numpy"] == "99.0"
    assert encode_json(compile_policy(path).policy) == before


def test_the_evidence_names_tailc_and_the_spec_alone() -> None:
    assert set(versions_of(SPEC)) == {"tailc", COMPILED_SPEC}


def test_the_result_of_a_compile_names_the_libraries() -> None:
    named = package_versions()
    assert named["numpy"] == version("numpy")
    assert {"tailc", "numba", "highspy", "ortools"} <= set(named)
