"""What the commands of Kubernetes change, checked against the schemas of its API.

The package `kubernetes-validate` carries them for each version since 1.25; without it (22 MB, the
extra `kubernetes-schemas`) the fields are those of the API reference, written here by hand.
"""

from __future__ import annotations

import json
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tailc.errors import TailcError
from tailc.export.kubernetes import kubernetes_text
from tailc.export.step import ExportedPlan
from tailc.forms.plan.state import CarriedOutPlan, Events
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tests.tailc.export.test_export import commands, plan_of_two
from tests.tailc.pipeline.malleable_jobs.instances import EXACT, cluster, job

JOB_SPEC = {"suspend": bool, "parallelism": int}
"""Fields of JobSpec in batch/v1 that a patch may have, and their types (API reference 1.31)."""

JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "job-1"},
    "spec": {
        "suspend": True,
        "parallelism": 1,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "work", "image": "registry.example/work:1"}],
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": "kubernetes.io/hostname",
                        "whenUnsatisfiable": "DoNotSchedule",
                    }
                ],
            }
        },
    },
}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node0"}, "spec": {}}


def patches():
    """Of jobs that start, wait, were refused, and grow."""
    plan = plan_of_two()
    refused = CarriedOutPlan(plan).state_after(0, Events(refused=["job-2"]))
    growing = cluster(
        [1_000, 2_000, 2_000, 0, 0], [job(hours=4, curve={1: 10**6, 2: 2 * 10**6})], search=EXACT
    )
    texts = [kubernetes_text(ExportedPlan(plan), epoch) for epoch in range(3)]
    texts.append(kubernetes_text(ExportedPlan(plan, refused), 0))
    grown = ExportedPlan(solve_for_clusters(growing).plan)
    texts += [kubernetes_text(grown, epoch) for epoch in range(4)]
    lines = [line for text in texts for line in commands(text) if " patch " in line]
    return [json.loads(shlex.split(line)[-1]) for line in lines]


def schemas(name):
    """The validator of each version of the API, strict about unknown fields."""
    package = find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        pytest.skip("kubernetes-validate is not installed")
    for folder in sorted(Path(package.origin).parent.glob("*/v1.*-local-strict")):
        definitions = json.loads((folder / "_definitions.json").read_text())
        registry = Registry().with_resource(
            "_definitions.json", Resource.from_contents(definitions)
        )
        schema = json.loads((folder / name).read_text())
        yield folder.name, Draft202012Validator(schema, registry=registry)


def test_patches_have_fields_of_the_api_alone():
    found = patches()
    assert {tuple(sorted(patch["spec"])) for patch in found} == {
        ("parallelism", "suspend"),
        ("suspend",),
    }
    for patch in found:
        assert list(patch) == ["spec"]
        assert all(type(value) is JOB_SPEC[name] for name, value in patch["spec"].items())
        assert patch["spec"].get("parallelism", 1) >= 1


def test_a_patched_job_is_valid_in_each_version_of_the_api():
    checked, found = 0, patches()
    for version, validator in schemas("job-batch-v1.json"):
        for patch in found:
            patched = JOB | {"spec": JOB["spec"] | patch["spec"]}
            assert list(validator.iter_errors(patched)) == [], version
            wrong = JOB | {"spec": JOB["spec"] | {"suspended": True}}
            assert not validator.is_valid(wrong), version
            assert not validator.is_valid(JOB | {"spec": JOB["spec"] | {"parallelism": "2"}})
            checked += 1
    assert checked >= 10


def test_a_cordoned_node_is_valid_in_each_version_of_the_api():
    for version, validator in schemas("node-v1.json"):
        for cordoned in (True, False):
            node = NODE | {"spec": {"unschedulable": cordoned}}
            assert list(validator.iter_errors(node)) == [], version


@pytest.mark.parametrize("name", ["job..1", "job-.1", "job.-1", "a" * 64, "job-1."])
def test_a_name_that_no_job_of_kubernetes_can_have_is_refused(name):
    """Its Pods carry it as a label, of 63 characters at most; parts are between single dots."""
    state = CarriedOutPlan(plan_of_two()).state_after(0, Events(refused=[name]))
    with pytest.raises(TailcError) as caught:
        kubernetes_text(ExportedPlan(plan_of_two(), state), 0)
    assert "1 to 63" in caught.value.findings[0].message + str(caught.value.findings[0].help)
