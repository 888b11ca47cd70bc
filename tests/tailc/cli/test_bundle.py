"""Events on standard error as JSON, and the archive about a run of a command."""

from __future__ import annotations

import json
import zipfile

import pytest

BAD = "apiVersion: tailc/v1\nkind: few-to-many\nname: secret-service\nquantam: 5ms\n"


@pytest.fixture
def bad(in_folder):
    (in_folder / "bad.yaml").write_text(BAD)
    return in_folder


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_every_line_of_the_log_is_an_event(bad, tailc):
    ended = tailc("check", "bad.yaml", "--log-format", "json")
    found = events(ended.err)
    kinds = [one["event"] for one in found]
    assert kinds == ["start", *["finding"] * (len(kinds) - 2), "end"]
    assert found[0]["command"] == "check"
    assert found[-1]["exit_code"] == ended.code == 65
    assert {"TC0102", "TC0103"} >= {one["code"] for one in found[1:-1]}


def test_passes_of_a_compile_are_events_with_their_share(compiled, tailc):
    ended = tailc("compile", "toy.yaml", "-o", "again", "--log-format", "json")
    passes = [one for one in events(ended.err) if one["event"] == "progress"]
    assert passes
    assert all(0 <= one["share"] <= 1 and one["elapsed_s"] >= 0 for one in passes)


def test_a_bundle_has_the_run_without_the_names_of_the_user(bad, tailc):
    ended = tailc("bundle", "check", "bad.yaml", "--bundle", "b.zip")
    assert ended.code == 0
    with zipfile.ZipFile("b.zip") as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    about = json.loads(members["command.json"])
    assert (about["words"], about["exit_code"]) == (["check", "text-1"], 65)
    assert "tailc" in json.loads(members["versions.json"])["packages"]
    assert json.loads(members["spec-1.json"])["kind"] == "few-to-many"
    assert events(members["events.ndjson"])[-1]["exit_code"] == 65
    assert not [name for name, text in members.items() if "secret" in text or "bad.yaml" in text]


def test_a_bundle_about_a_bundle_is_refused(bad, tailc):
    assert tailc("bundle", "bundle", "check").code == 64


def test_only_whole_words_of_the_user_are_replaced(in_folder, tailc):
    names = '["", e, "m\\u00fcller\\"x", text]'
    (in_folder / "e.yaml").write_text(f"kind: few-to-many\nname: {names}\nmuller: 1\n")
    (in_folder / "acme.csv").write_text("demand_ms\n1\n")
    assert tailc("bundle", "check", "e.yaml", "acme.csv").code == 0
    with zipfile.ZipFile("tailc-bundle.zip") as archive:
        about = json.loads(archive.read("command.json"))
        log = archive.read("events.ndjson").decode()
    assert about["words"] == ["check", "text-1", "text-2"]
    assert events(log)[0]["command"] == "check"
    assert "acme" not in log
    assert "\\u00fc" not in log


def test_a_bundle_replaces_no_other_file(bad, tailc):
    assert tailc("bundle", "check", "bad.yaml", "--bundle", "bad.yaml").code == 64
    assert (bad / "bad.yaml").read_text() == BAD
