"""The unit and the manifest of the agent are valid, and start it with options that it has."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from copy import deepcopy
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.runtimes.agent.program import AGENT, printed
from tests.tailc.export.test_kubernetes_schemas import schemas

DEPLOY = AGENT / "deploy"
UNIT = "tailc-agent.service"
# As `systemd-analyze security` rates a unit, from 0 to 10 (unsafe), in tenths.
MOST_EXPOSURE = 25


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


def test_the_manifest_is_valid_in_each_version_of_the_api() -> None:
    manifest = YAML(typ="safe").load(DEPLOY / "daemonset.yaml")
    wrong = deepcopy(manifest)
    wrong["spec"]["template"]["spec"]["containers"][0]["securityContext"]["capability"] = {}
    versions = 0
    for version, validator in schemas("daemonset-apps-v1.json"):
        assert list(validator.iter_errors(manifest)) == [], version
        assert not validator.is_valid(wrong), version
        versions += 1
    assert versions >= 5


def analysed(*words: object) -> subprocess.CompletedProcess[str]:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    command = ["systemd-analyze", "--no-pager", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("drop_ins", [(), ("threads.conf",), ("counters.conf",)])
def test_systemd_takes_the_unit_and_its_drop_ins(drop_ins: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / f"{UNIT}.d"
    folder.mkdir()
    for name in drop_ins:
        shutil.copy(DEPLOY / name, folder)
    unit, program = tmp_path / UNIT, shutil.which("true")
    text = (DEPLOY / UNIT).read_text()
    # What is verified is also that the program exists.
    unit.write_text(text.replace("/usr/local/bin/tailc-agent", str(program)))
    done = analysed("verify", unit)
    assert (done.returncode, done.stderr) == (0, "")
    unit.write_text(unit.read_text().replace("KillMode=mixed", "KillMode=mixt"))
    assert "mixt" in analysed("verify", unit).stderr


def test_systemd_rates_the_unit_as_confined() -> None:
    done = analysed(*("security", "--offline=true", f"--threshold={MOST_EXPOSURE}", DEPLOY / UNIT))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout
