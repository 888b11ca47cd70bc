"""Two recordings of outputs are the same, or it is told where they differ."""

import json

import pytest

from bench.outputs_compare import compare, differences

RUN = {
    "exit": 0,
    "stdout": "verdict: pass\nexit 0\n",
    "files": {"build/a.json": {"rows": [{"age_us": 5}, {"age_us": 7}]}},
}


@pytest.fixture
def recordings(tmp_path):
    folders = (tmp_path / "before", tmp_path / "after")
    for folder in folders:
        folder.mkdir()
        for name in ("compile-a", "verify-a"):
            write(folder, name, RUN)
    return folders


def write(folder, name, run):
    (folder / f"{name}.json").write_text(json.dumps(run))


def test_the_same_recordings_do_not_differ(recordings, capsys):
    assert compare(*recordings) == 0
    assert capsys.readouterr().out.endswith("2 runs, 0 different\n")


def test_a_changed_value_is_told_by_its_pointer(recordings, capsys):
    files = {"build/a.json": {"rows": [{"age_us": 5}, {"age_us": 8}]}}
    write(recordings[1], "compile-a", {**RUN, "files": files})
    assert compare(*recordings) == 1
    said = capsys.readouterr().out
    assert "compile-a:\n/files/build~1a.json/rows/1/age_us: 7 -> 8\n" in said
    assert "2 runs, 1 different" in said


def test_changed_text_is_told_line_by_line(recordings, capsys):
    write(recordings[1], "verify-a", {**RUN, "stdout": "verdict: fail\nexit 0\n"})
    assert compare(*recordings) == 1
    said = capsys.readouterr().out
    assert "--- before/stdout\n+++ after/stdout\n" in said
    assert "\n-verdict: pass\n+verdict: fail\n exit 0\n" in said


def test_a_missing_run_is_a_difference(recordings, capsys):
    (recordings[1] / "verify-a.json").unlink()
    assert compare(*recordings) == 1
    assert f"missing: {recordings[1] / 'verify-a.json'}" in capsys.readouterr().out


def test_two_empty_folders_prove_nothing(tmp_path):
    assert compare(tmp_path, tmp_path) == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"a": 1}, {}, "/a: 1 -> (absent)"),
        ([1], [1, None], "/1: (absent) -> null"),
        ({"a": True}, {"a": 1}, "/a: true -> 1"),
        ([1.5], {"x": 1.5}, '[1.5] -> {"x": 1.5}'),
        ({"a": "a\n"}, {"a": "a"}, "/a: ends of lines differ"),
    ],
)
def test_absent_values_types_and_ends_of_lines_differ(old, new, told):
    assert told in " ".join(differences(old, new))


def test_the_order_of_keys_does_not_matter():
    assert not list(differences({"a": 1, "b": 2}, {"b": 2, "a": 1}))
