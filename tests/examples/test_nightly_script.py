"""The nightly script, as each system calls it, in a repository with a remote."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.examples.releases import HELD_OUT, SPEC_OF_SERVICE, committed, git, released
from tests.published_schemas import published_schema
from tests.tailc.schemas import validate

NIGHTLY = Path(__file__).parents[2] / "examples" / "nightly"
PATHS = {"SPEC": "policies/search.yaml", "STEM": "policies/search", "HELD_OUT": HELD_OUT}
CHANGED = SPEC_OF_SERVICE.replace("target_parallelism: 6", "target_parallelism: 5")


@pytest.fixture
def with_script(repository):
    shutil.copy(NIGHTLY / "nightly.sh", "policies")
    agent = repository / "tools" / "buildkite-agent"
    agent.write_text('#!/bin/sh\necho "$*" >> "$CALLS"; cat >> "$CALLS"\n')
    agent.chmod(0o755)
    committed(SPEC_OF_SERVICE)
    git("push", "--quiet", "origin", "HEAD")
    return repository


def loaded(name: str) -> dict:
    return YAML(typ="safe").load((NIGHTLY / name).read_text())


def ran(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **PATHS, **variables}
    return subprocess.run(
        ["bash", "-e", "-c", command], env=env, capture_output=True, text=True, check=False
    )


def gitlab(source: str) -> subprocess.CompletedProcess[str]:
    """The job's script, with the variables of the rule for that source."""
    job = loaded("gitlab-ci.yml")["policy"]
    (rule,) = [rule for rule in job["rules"] if f'"{source}"' in rule["if"]]
    return ran("\n".join(job["script"]), **rule.get("variables", {}))


def buildkite() -> subprocess.CompletedProcess[str]:
    """The step's command but for the line that installs, its dollars as the agent leaves them."""
    (step,) = loaded("buildkite.yml")["steps"]
    lines = step["command"].replace("$$", "$").splitlines()
    assert "pip install" in lines[0]
    branch = git("rev-parse", "--abbrev-ref", "HEAD").strip()
    return ran("\n".join(lines[1:]), BUILDKITE_BRANCH=branch, BUILDKITE_PULL_REQUEST="false")


def cron() -> subprocess.CompletedProcess[str]:
    last = (NIGHTLY / "crontab").read_text().splitlines()[-1]
    command = last.split(maxsplit=5)[5].replace("/srv/policies", ".")
    assert "%" not in command, "cron takes it for a new line"
    return ran(command)


def jenkins() -> subprocess.CompletedProcess[str]:
    (script,) = re.findall(r"script: '''(.+?)'''", (NIGHTLY / "Jenkinsfile").read_text(), re.DOTALL)
    return ran(script)


def test_gitlab_releases_a_change_by_its_schedule_and_nothing_else(with_script):
    first = gitlab("schedule")
    assert (first.returncode, released()) == (0, ["policy-1"]), first.stderr
    head = git("rev-parse", "HEAD")
    second = gitlab("schedule")
    assert "unchanged since policy-1" in second.stdout
    assert (second.returncode, git("rev-parse", "HEAD"), released()) == (0, head, ["policy-1"])
    assert git("status", "--porcelain") == ""
    committed(CHANGED)
    third = gitlab("merge_request_event")
    assert (third.returncode, released()) == (0, ["policy-1"]), third.stderr
    # The differences, exit code 2 of `tailc diff`, are no failure, and are told.
    assert "generation 1" in Path("out/diff.md").read_text()
    assert Path("out/verify.json").read_text().startswith("[")


def test_buildkite_releases_nothing_that_misses(with_script):
    committed(SPEC_OF_SERVICE.replace("latency: 10s", "latency: 1ms"))
    ended = buildkite()
    assert (ended.returncode, released()) == (1, []), ended.stderr
    told = (with_script / "calls").read_text()
    assert told.startswith("annotate --context policy\n")
    assert "### toy: fail" in told


def test_jenkins_sees_that_the_data_cannot_decide(with_script):
    # 300 requests have no upper limit of a 99th percentile: that takes 390.
    committed(SPEC_OF_SERVICE.replace("percentile: 50%", "percentile: 99%"))
    ended = jenkins()
    assert (ended.returncode, released()) == (4, []), ended.stderr
    assert "undecided" in Path("out/verify.xml").read_text()


def test_cron_mails_what_is_wrong_with_a_spec(with_script):
    committed(SPEC_OF_SERVICE.replace("quantum: 5ms", "quantum: 5"))
    mail = cron().stdout
    assert mail.startswith("exit 65\n")
    assert "`5` has no unit" in mail


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("gitlab-ci.yml", "Gitlab CI configuration"),
        ("buildkite.yml", "JSON schema for Buildkite pipeline configuration files"),
    ],
)
def test_what_is_shipped_is_as_the_system_s_schema_says(name, title):
    document = loaded(name)
    validate(document, published_schema(title))
    # Only what cannot be decided is let pass.
    parts = document["steps"] if "steps" in document else document.values()
    for part in parts:
        assert part.get("soft_fail") == [{"exit_status": 4}] or part["allow_failure"] == {
            "exit_codes": 4
        }
