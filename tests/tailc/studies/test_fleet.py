"""Compiles of many services: only what changed, whatever fails, and the same files anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.errors import Code, ExitCode, Finding, TailcError
from tailc.pipeline.compile import compile_opened
from tailc.studies.fleet import FleetOptions, ServiceStatus, compile_fleet, find_services
from tailc.tasks.engine import LostTask
from tailc.tasks.processes import LocalProcesses
from tests.tailc.toy import SPEC, write_toy

OPTIONS = FleetOptions("out", {})
HERE = LocalProcesses(1)


class InterruptedAfter:
    """An engine of one process that is interrupted after some tasks."""

    slots = 1
    warnings = ()

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def run_all(self, work, tasks, on_end):
        HERE.run_all(work, tasks[: self.tasks], on_end)
        raise KeyboardInterrupt


class Loses:
    """An engine that loses every task."""

    slots = 1
    warnings = ()

    def run_all(self, _work, tasks, on_end):
        for number, _ in enumerate(tasks):
            on_end(number, LostTask())
        return [LostTask() for _ in tasks]


@pytest.fixture
def fleet(in_folder):
    """Fifty services in five folders, and two broken specs."""
    for number in range(50):
        folder = in_folder / f"fleet/team{number % 5}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "toy.csv").write_text(f"request,demand_ms\n1,50\n2,{100 + number}\n")
        (folder / f"svc{number:02}.yaml").write_text(
            SPEC.replace("name: toy", f"name: svc{number:02}").replace("rates: [10/s]\n", "")
        )
    (in_folder / "fleet/broken.yaml").write_text("apiVersion: tailc/v1\nkind: [\n")
    (in_folder / "fleet/unknown.yaml").write_text("apiVersion: tailc/v1\nkind: no-such\n")
    return in_folder / "fleet"


def compiled(engine=HERE, options=OPTIONS):
    return compile_fleet(find_services("fleet"), options, engine)


def statuses(results):
    return [one.status for one in results]


def contents(folder: str) -> dict[str, bytes]:
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_services_are_the_specs_below_the_folder(fleet):
    (fleet / "notes.yaml").write_text("a: 1\n")
    (fleet / "large.json").write_text('{"apiVersion": "v1"}')
    (fleet / ".git").mkdir()
    (fleet / ".git/copy.yaml").write_text(SPEC)
    (fleet / "days.yaml").write_text("apiVersion: tailc/v1\nkind: days\n")
    names = [one.name for one in find_services("fleet")]
    assert len(names) == 52
    assert names[:3] == ["broken", "team0/svc00", "team0/svc05"]
    assert "unknown" in names


def test_a_spec_in_json_is_a_service(in_folder):
    Path("only.json").write_text('{"apiVersion": "tailc/v1", "kind": "few-to-many"}')
    assert [one.name for one in find_services(".")] == ["only"]


def test_a_folder_without_specs_is_an_error(in_folder):
    with pytest.raises(TailcError) as refused:
        find_services(".")
    assert refused.value.findings[0].code is Code.CANNOT_READ


def test_two_specs_that_would_write_one_policy_are_an_error(in_folder):
    write_toy(in_folder)
    Path("toy.yml").write_text(SPEC)
    with pytest.raises(TailcError) as refused:
        find_services(".")
    assert [one.place.source for one in refused.value.findings] == ["toy.yaml", "toy.yml"]


def test_an_interrupted_run_continues_and_a_later_one_compiles_only_what_has_changed(fleet):
    with pytest.raises(KeyboardInterrupt):
        compiled(InterruptedAfter(20))
    assert len(list(Path("out").rglob("*.tailc"))) == 20
    first = compiled()
    assert statuses(first) == [
        ServiceStatus.FAILED,
        *[ServiceStatus.UNCHANGED] * 20,
        *[ServiceStatus.COMPILED] * 30,
        ServiceStatus.FAILED,
    ]
    assert first[0].findings[0].code is Code.SYNTAX
    assert first[-1].findings[0].code is Code.UNKNOWN_KIND
    before = contents("out")
    changed = fleet / "team0/svc05.yaml"
    changed.write_text(
        changed.read_text().replace("target_parallelism: 6", "target_parallelism: 5")
    )
    again = compiled()
    assert [one.service.name for one in again if one.status is ServiceStatus.COMPILED] == [
        "team0/svc05"
    ]
    (reason,) = next(one.reasons for one in again if one.status is ServiceStatus.COMPILED)
    assert "server.target_parallelism" in reason
    assert {name for name, content in contents("out").items() if before[name] != content} == {
        f"team0/svc05.{suffix}" for suffix in ("json", "tailc", "inputs.json")
    }
    assert again[1].policy == first[1].policy


def test_files_do_not_depend_on_the_number_of_processes(fleet):
    for path in sorted(fleet.glob("team[1-4]/*.yaml")):
        path.unlink()
    alone = compiled()
    both = compiled(LocalProcesses(2), FleetOptions("both", {}))
    assert contents("out") == contents("both")
    assert [one.policy for one in alone] == [one.policy for one in both]


def test_a_service_that_misses_its_slo_fails_and_leaves_its_old_policy(in_folder):
    path = Path(write_toy(in_folder))
    options = FleetOptions(".", {})
    services = find_services(".")
    (fine,) = compile_fleet(services, options, HERE)
    assert fine.status is ServiceStatus.COMPILED
    before = read_policy("toy")
    path.write_text(SPEC.replace("rates: [10/s]", "rates: [1000/s]"))
    (missed,) = compile_fleet(services, options, HERE)
    assert (missed.status, missed.exit_code) == (ServiceStatus.FAILED, ExitCode.INFEASIBLE)
    assert read_policy("toy") == before


@pytest.mark.parametrize("function", ["compile_opened", "build_inputs"])
def test_a_fault_of_tailc_fails_its_service_alone(fleet, monkeypatch, function):
    def fail(*_args, **_options):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(f"tailc.studies.fleet.{function}", fail)
    result = compiled()[1]
    assert result.exit_code is ExitCode.BUG
    assert "ZeroDivisionError" in result.findings[0].message


def test_a_service_whose_solver_hangs_fails_alone(in_folder, monkeypatch):
    write_toy(in_folder)
    Path("later.yaml").write_text(SPEC)

    def compile_or_hang(opened, **options):
        if opened.path == "later.yaml":
            raise TailcError(Finding(Code.BUDGET_ENDED, "`highs` ended: no answer within 60 s"))
        return compile_opened(opened, **options)

    monkeypatch.setattr("tailc.studies.fleet.compile_opened", compile_or_hang)
    later, toy = compile_fleet(find_services("."), OPTIONS, HERE)
    assert (later.status, later.exit_code) == (ServiceStatus.FAILED, ExitCode.BUDGET)
    assert toy.status is ServiceStatus.COMPILED


def test_a_policy_that_cannot_be_written_fails_its_service_alone(in_folder):
    write_toy(in_folder)
    Path("later.yaml").write_text(SPEC)
    Path("out/later.json").mkdir(parents=True)
    later, toy = compile_fleet(find_services("."), OPTIONS, HERE)
    assert (later.status, later.findings[0].code) == (ServiceStatus.FAILED, Code.CANNOT_WRITE)
    assert toy.status is ServiceStatus.COMPILED


def test_a_spec_that_cannot_be_read_fails_its_service_alone(in_folder, monkeypatch):
    write_toy(in_folder)
    Path("later.yaml").write_text(SPEC)
    opened = Path.open

    def refuse(path, *args, **options):
        if path.name == "later.yaml":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args, **options)

    monkeypatch.setattr(Path, "open", refuse)
    later, toy = compile_fleet(find_services("."), OPTIONS, HERE)
    assert (later.status, later.findings[0].code) == (ServiceStatus.FAILED, Code.CANNOT_READ)
    assert toy.status is ServiceStatus.COMPILED


def test_a_lost_service_has_a_finding(in_folder):
    write_toy(in_folder)
    (lost,) = compile_fleet(find_services("."), OPTIONS, Loses())
    assert lost.exit_code is ExitCode.MISSING_PART
    assert lost.findings[0].code is Code.LOST_TASK


def test_rebuild_compiles_every_service(in_folder):
    write_toy(in_folder)
    options = FleetOptions("out", {}, rebuilds=True)
    for _ in range(2):
        (result,) = compile_fleet(find_services("."), options, HERE)
        assert (result.status, result.reasons) == (ServiceStatus.COMPILED, ("`--rebuild`",))


def test_an_override_is_for_the_specs_that_can_have_it(in_folder):
    write_toy(in_folder)
    options = FleetOptions("out", {"effort": "quick"})
    (by_grid,) = compile_fleet(find_services("."), options, HERE)
    assert by_grid.status is ServiceStatus.COMPILED
    assert json.loads(Path("out/toy.inputs.json").read_text())["options"] == {}
    Path("toy.yaml").write_text(SPEC.replace("search: {method: grid, step: 50ms}\n", ""))
    (by_auto,) = compile_fleet(find_services("."), options, HERE)
    assert "option `effort`: `quick` is new" in by_auto.reasons
