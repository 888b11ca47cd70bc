"""A store of policies: equal inputs compile once, in a folder, in memory or in a bucket."""

from __future__ import annotations

import shutil
import sys
import uuid
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from tailc.artifact.files import read_policy
from tailc.errors import Code, ExitCode, TailcError
from tailc.studies.fleet import FleetOptions, ServiceStatus, compile_fleet, find_services
from tailc.studies.policy_store import PolicyStore
from tailc.tasks.processes import LocalProcesses
from tests.tailc.toy import SPEC, write_toy


@pytest.fixture
def memory():
    return f"memory://{uuid.uuid4().hex}"


@pytest.fixture
def bucket(monkeypatch):
    """The URL of a bucket of a server that speaks the protocol of S3."""
    server = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    address = "http://{}:{}".format(*running.get_host_and_port())
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("policies")
    yield "s3://policies/nightly"
    running.stop()


def compiled(output: str, url: str, **options: bool):
    (result,) = compile_fleet(
        find_services("."), FleetOptions(output, {}, store=PolicyStore(url), **options),
        LocalProcesses(1),
    )  # fmt: skip
    return result


@pytest.mark.parametrize("store", ["memory", "bucket"])
def test_a_store_has_the_policies_of_equal_inputs(in_folder, request, store):
    """Compile once, take the policy from the store, and compile again after a change."""
    url, spec = request.getfixturevalue(store), Path(write_toy(in_folder))
    assert compiled("first", url).status is ServiceStatus.COMPILED
    again = compiled("second", url)
    assert (again.status, again.exit_code) == (ServiceStatus.UNCHANGED, ExitCode.OK)
    for suffix in ("json", "tailc", "inputs.json"):
        files = (in_folder / output / f"toy.{suffix}" for output in ("first", "second"))
        assert len({file.read_bytes() for file in files}) == 1
    spec.write_text(SPEC.replace("step: 50ms", "step: 25ms"))
    assert compiled("second", url).status is ServiceStatus.COMPILED
    spec.write_text(SPEC)
    assert compiled("second", url).status is ServiceStatus.UNCHANGED
    assert read_policy("second/toy") == read_policy("first/toy")


def test_a_damaged_object_is_compiled_again(in_folder):
    write_toy(in_folder)
    url = f"file://{in_folder}/store"
    compiled("out", url)
    (stored,) = Path("store").rglob("*.tailc")
    whole = stored.read_bytes()
    stored.write_bytes(whole[:-7])
    shutil.rmtree("out")
    assert compiled("out", url).status is ServiceStatus.COMPILED
    assert stored.read_bytes() == whole


def test_a_policy_that_may_miss_its_slo_is_another_one(in_folder, memory):
    path = Path(write_toy(in_folder))
    path.write_text(SPEC.replace("rates: [10/s]", "rates: [1000/s]"))
    assert compiled("out", memory, allows_misses=True).status is ServiceStatus.COMPILED
    shutil.rmtree("out")
    assert compiled("out", memory).exit_code is ExitCode.INFEASIBLE
    assert compiled("out", memory, allows_misses=True).status is ServiceStatus.UNCHANGED


def test_rebuild_takes_nothing_from_the_store(in_folder, memory):
    write_toy(in_folder)
    for output in ("first", "second"):
        assert compiled(output, memory, rebuilds=True).status is ServiceStatus.COMPILED


@pytest.mark.parametrize(
    ("method", "code"), [("cat_file", Code.CANNOT_READ), ("pipe_file", Code.CANNOT_WRITE)]
)
def test_a_store_that_refuses_an_object_fails_the_service(in_folder, monkeypatch, method, code):
    def refuse(_files, path, *_content):
        raise PermissionError(13, "Permission denied", path)

    write_toy(in_folder)
    monkeypatch.setattr(LocalFileSystem, method, refuse)
    failed = compiled("out", f"file://{in_folder}/store")
    assert (failed.status, failed.findings[0].code) == (ServiceStatus.FAILED, code)


@pytest.mark.parametrize(
    ("url", "code"), [("nonsense://policies", Code.CANNOT_READ), ("", Code.USAGE)]
)
def test_a_url_without_a_store_is_an_error(url, code):
    with pytest.raises(TailcError) as refused:
        PolicyStore(url)
    assert refused.value.findings[0].code is code


def test_the_message_has_no_password():
    with pytest.raises(TailcError) as refused:
        PolicyStore("nonsense://user:secret@host/policies")
    assert "nonsense://host/policies" in refused.value.findings[0].message
    assert "secret" not in str(refused.value.findings)


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(TailcError) as refused:
        PolicyStore("s3://bucket/policies")
    finding = refused.value.findings[0]
    assert finding.code is Code.MISSING_PART
    assert "s3fs" in finding.help
