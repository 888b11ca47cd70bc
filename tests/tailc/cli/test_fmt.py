"""`tailc fmt`: what it writes, what it only tells, and what it leaves alone."""

import json

import pytest

from tests.tailc.toy import SPEC, with_lines, write_toy

UGLY = with_lines(
    ("latency: 200ms", "latency: 200  ms"), ("rates: [10/s]", "rates: [ 10/s ] # one")
)
PRETTY = with_lines(("rates: [10/s]", "rates: [10/s] # one"))


@pytest.fixture
def ugly(in_folder):
    return write_toy(in_folder, UGLY)


def test_a_spec_is_written_anew_with_its_rights(ugly, tailc, in_folder):
    (in_folder / "toy.yaml").chmod(0o600)
    ended = tailc("fmt", ugly)
    assert ended.code == 0
    assert ended.out == f"formatted {ugly}\n1 checked, 1 formatted\n"
    assert (in_folder / "toy.yaml").read_text() == PRETTY
    assert (in_folder / "toy.yaml").stat().st_mode & 0o777 == 0o600
    assert tailc("fmt", ugly).out == "1 checked, 0 formatted\n"


def test_a_link_stays_a_link(ugly, tailc, in_folder):
    (in_folder / "link.yaml").symlink_to(ugly)
    assert tailc("fmt", "link.yaml").code == 0
    assert (in_folder / "link.yaml").is_symlink()
    assert (in_folder / "toy.yaml").read_text() == PRETTY


def test_check_writes_nothing_exits_2_and_tells_the_line(ugly, tailc, in_folder):
    ended = tailc("fmt", "--check", ugly)
    assert ended.code == 2
    assert "warning[TC0112]" in ended.err
    assert "toy.yaml:4" in ended.err
    assert (in_folder / "toy.yaml").read_text() == UGLY
    assert tailc("fmt", "--check", write_toy(in_folder, PRETTY)).code == 0


def test_diff_prints_what_would_change_and_writes_nothing(ugly, tailc, in_folder):
    ended = tailc("fmt", "--diff", ugly)
    assert ended.code == 0
    assert "\n-rates: [ 10/s ] # one\n+rates: [10/s] # one\n" in ended.out
    assert (in_folder / "toy.yaml").read_text() == UGLY


def test_where_one_spec_is_wrong_none_is_written(ugly, tailc, in_folder):
    (in_folder / "bad.yaml").write_text(SPEC.replace("cores: 6", "cores:  zero"))
    ended = tailc("fmt", ugly, "bad.yaml")
    assert ended.code == 65
    assert "server.cores" in ended.err
    assert (in_folder / "toy.yaml").read_text() == UGLY
    assert "cores:  zero" in (in_folder / "bad.yaml").read_text()


def test_other_ends_of_lines_are_a_change(in_folder, tailc):
    (in_folder / "dos.yaml").write_bytes(SPEC.replace("\n", "\r\n").encode())
    assert tailc("fmt", "--check", "dos.yaml").code == 2
    assert tailc("fmt", "dos.yaml").code == 0
    assert (in_folder / "dos.yaml").read_bytes() == SPEC.encode()


def test_junit_has_a_case_for_each_spec(ugly, tailc, in_folder):
    (in_folder / "good.yaml").write_text(PRETTY)
    out = tailc("fmt", "--check", ugly, "good.yaml", "--output-format", "junit").out
    assert 'tests="2" failures="1"' in out


def test_json_lists_what_would_change(ugly, tailc):
    result = json.loads(tailc("fmt", "--check", ugly, "--output-format", "json").out)["result"]
    assert result == {"checked": 1, "changed": [ugly], "files": [], "diff": None}
