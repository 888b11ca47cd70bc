"""The unit and the manifest of the agent start it with options that it has."""

from __future__ import annotations

import configparser
import re

from ruamel.yaml import YAML

from tests.runtimes.agent.program import AGENT, printed

DEPLOY = AGENT / "deploy"


def test_the_manifest_uses_options_of_the_agent_and_drops_all_capabilities() -> None:
    manifest = YAML(typ="safe").load(DEPLOY / "daemonset.yaml")
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    options = {word.partition("=")[0] for word in container["args"] if word.startswith("--")}
    assert options <= set(re.findall(r"--[a-z-]+", "\n".join(printed("--help"))))
    security = container["securityContext"]
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert not security["privileged"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in manifest["spec"]["template"]["spec"]["volumes"]}


def test_the_unit_restores_after_the_agent_and_gives_it_no_capability() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[method-assign, assignment]
    unit.read(DEPLOY / "tailc-agent.service")
    service = unit["Service"]
    assert service["ExecStopPost"].endswith("tailc-agent undo")
    assert service["CapabilityBoundingSet"] == ""
    assert service["KillMode"] == "mixed"
