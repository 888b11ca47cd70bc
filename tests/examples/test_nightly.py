"""The nightly workflow, its steps run one after another in a repository with a remote."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tailc.artifact.files import read_policy
from tailc.artifact.keys import read_public_key
from tailc.artifact.trust import Trust
from tests.examples.releases import HELD_OUT, SPEC_OF_SERVICE, committed, git, released
from tests.examples.workflow import Night
from tests.examples.workflow import night as steps_run

WORKFLOW = Path(__file__).parents[2] / "examples" / "nightly" / "policy.yml"


def night(event: str = "schedule", secrets: Mapping[str, str] | None = None) -> Night:
    workflow = YAML(typ="safe").load(WORKFLOW.read_text())
    return steps_run(workflow, {"HELD_OUT": HELD_OUT}, event, secrets)


def test_a_change_is_released_and_a_night_without_one_is_not(repository):
    first = night()
    assert first.code == 0, first.said
    assert first.ran[-1] == "Release"
    assert released() == ["policy-1"]
    assert "Diff" not in first.ran
    head = git("rev-parse", "HEAD")
    second = night()
    assert second.code == 0, second.said
    assert second.ran == ["Find the last release", "Compile"]
    assert second.outputs["compile"] == {"changed": "false"}
    assert (released(), git("rev-parse", "HEAD")) == (["policy-1"], head)
    assert git("status", "--porcelain") == ""
    committed(SPEC_OF_SERVICE.replace("target_parallelism: 6", "target_parallelism: 5"))
    third = night()
    assert third.code == 0, third.said
    assert "Diff" in third.ran
    assert released() == ["policy-1", "policy-2"]
    assert read_policy("git:policy-2:policies/search.tailc").generation == 2
    calls = (repository / "calls").read_text().splitlines()
    assert [call.split()[:4] for call in calls] == [
        ["gh", "release", "create", f"policy-{number}"] for number in (1, 2)
    ]


@pytest.mark.parametrize(
    ("slo", "code", "last"),
    [
        ("{percentile: 50%, latency: 1ms}", 1, "Verify"),
        # 300 requests have no upper limit of a 99th percentile: that takes 390.
        ("{percentile: 99%, latency: 10s}", 0, "Verify"),
    ],
)
def test_what_misses_or_nobody_can_tell_is_not_released(repository, slo, code, last):
    committed(SPEC_OF_SERVICE.replace("{percentile: 50%, latency: 10s}", slo))
    found = night()
    assert (found.code, found.ran[-1]) == (code, last), found.said
    assert released() == []
    assert "::error title=SLO fail" in found.said or found.outputs["verify"] == {"holds": "false"}


@pytest.mark.parametrize(
    # Half the threads: the mean is a tenth longer. A 99th percentile of 300 requests has no limit.
    ("budget", "code", "said"),
    [("mean: 1%", 1, "::error"), ("p99: 50%", 0, "::warning")],
)
def test_a_change_that_is_not_within_its_budget_is_not_released(repository, budget, code, said):
    assert night().code == 0
    worse = SPEC_OF_SERVICE.replace("target_parallelism: 6", "target_parallelism: 3")
    committed(f"{worse}budgets:\n  {budget}\n")
    found = night()
    assert (found.code, found.ran[-1]) == (code, "Diff"), found.said
    line = len(worse.splitlines()) + 2
    assert f"{said} file=policies/search.yaml,line={line},col=" in found.said
    assert released() == ["policy-1"]


def test_a_spec_that_is_wrong_fails_with_an_annotation_on_its_line(repository):
    committed(SPEC_OF_SERVICE.replace("quantum: 5ms", "quantum: 5"))
    found = night()
    assert (found.code, found.ran[-1]) == (65, "Compile")
    line = 1 + SPEC_OF_SERVICE.splitlines().index(
        "server: {cores: 6, target_parallelism: 6, quantum: 5ms}"
    )
    assert f"::error file=policies/search.yaml,line={line},col=" in found.said
    (result,) = json.loads(Path("out/compile.sarif").read_text())["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == line


def test_a_pull_request_gets_a_comment_and_no_release(repository):
    assert night().code == 0
    committed(SPEC_OF_SERVICE.replace("target_parallelism: 6", "target_parallelism: 5"))
    found = night("pull_request")
    assert found.code == 0, found.said
    assert found.ran[-1] == "Comment"
    comment = Path("out/comment").read_text()
    assert "### toy: pass" in comment
    assert "generation 1" in comment
    assert released() == ["policy-1"]
    assert (repository / "calls").read_text().splitlines()[-1].startswith("gh pr comment 7 ")


def test_a_pull_request_is_told_of_a_policy_that_misses(repository):
    committed(
        SPEC_OF_SERVICE.replace(
            "{percentile: 50%, latency: 10s}", "{percentile: 50%, latency: 1ms}"
        )
    )
    found = night("pull_request")
    assert found.code == 1, found.said
    assert found.ran[-3:] == ["Verify", "Keep the findings", "Comment"]
    assert "### toy: fail" in Path("out/comment").read_text()


def test_a_pull_request_keeps_the_findings_of_a_spec_that_is_wrong(repository):
    committed(SPEC_OF_SERVICE.replace("quantum: 5ms", "quantum: 5"))
    found = night("pull_request")
    assert found.code == 65
    assert found.ran[-2:] == ["Compile", "Keep the findings"]
    assert json.loads(Path("out/compile.sarif").read_text())["runs"][0]["results"]


def test_a_release_is_signed_where_there_is_a_key(repository):
    subprocess.run(["tailc", "keygen", "../deploy"], check=True, capture_output=True)
    key = Path("../deploy.key").read_text()
    assert night(secrets={"TAILC_SIGNING_KEY": key}).code == 0
    trust = Trust((read_public_key(Path("../deploy.pub")),))
    assert read_policy("git:policy-1:policies/search.tailc", trust).generation == 1
    assert not Path("out/policy.key").exists()
    again = night(secrets={"TAILC_SIGNING_KEY": key})
    assert again.outputs["compile"] == {"changed": "false"}
    assert git("status", "--porcelain") == ""
