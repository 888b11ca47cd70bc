"""Watching files: a round at once and one after each change, until it is interrupted."""

import pytest

from tailc.cli import watching
from tests.tailc.toy import SPEC, write_toy


class Clock:
    """Waits that change files, one step at each; the last one interrupts."""

    def __init__(self, *steps):
        self.steps = list(steps)

    def wait(self, _seconds):
        if not self.steps:
            raise KeyboardInterrupt
        self.steps.pop(0)()


def nothing():
    pass


@pytest.fixture
def seen(tmp_path):
    (tmp_path / "a").write_text("1")
    return []


def rounds_of(tmp_path, seen, *steps, files=("a", "b")):
    def work():
        seen.append([(tmp_path / name).exists() and (tmp_path / name).read_text() for name in "ab"])

    paths = [str(tmp_path / name) for name in files]
    return watching.watch(work, lambda: paths, Clock(*steps).wait)


def test_nothing_happens_while_nothing_changes(tmp_path, seen):
    assert rounds_of(tmp_path, seen, nothing, nothing, nothing) == 1
    assert seen == [["1", False]]


def test_a_change_a_new_file_and_one_that_is_gone_each_make_a_round(tmp_path, seen):
    steps = [
        lambda: (tmp_path / "a").write_text("22"),
        nothing,
        lambda: (tmp_path / "b").write_text("3"),
        nothing,
        (tmp_path / "b").unlink,
        nothing,
    ]
    assert rounds_of(tmp_path, seen, *steps) == 4
    assert seen == [["1", False], ["22", False], ["22", "3"], ["22", False]]


def test_changes_close_to_one_another_make_one_round(tmp_path, seen):
    steps = [lambda n=n: (tmp_path / "a").write_text("x" * n) for n in (2, 3, 4)]
    assert rounds_of(tmp_path, seen, *steps, nothing) == 2
    assert seen[-1] == ["xxxx", False]


def test_a_change_during_the_work_makes_another_round(tmp_path, seen):
    def work():
        seen.append((tmp_path / "a").read_text())
        if len(seen) == 1:
            (tmp_path / "a").write_text("changed")

    path = str(tmp_path / "a")
    assert watching.watch(work, lambda: [path], Clock(nothing, nothing).wait) == 2
    assert seen == ["1", "changed"]


def test_compile_goes_on_after_a_wrong_spec_and_ends_well(in_folder, tailc, monkeypatch):
    spec = write_toy(in_folder)
    steps = [
        lambda: (in_folder / "toy.yaml").write_text(SPEC.replace("cores: 6", "cores: none")),
        nothing,
        lambda: (in_folder / "toy.yaml").write_text(SPEC.replace("cores: 6", "cores: 4")),
        nothing,
    ]
    clock = Clock(*steps)
    monkeypatch.setattr(watching.time, "sleep", clock.wait)
    ended = tailc("compile", spec, "-o", "toy", "--watch")
    assert ended.code == 0
    assert "`server.cores` must be a whole number" in ended.err
    assert "spec `server.cores`: `4`, was `6`" in ended.out
    assert ended.out.endswith("watched for 3 rounds\n")


def test_check_reads_a_spec_again_after_each_change(in_folder, tailc, monkeypatch):
    write_toy(in_folder)
    spec = in_folder / "toy.yaml"
    clock = Clock(lambda: spec.write_text(SPEC + "quantam: 5ms\n"), nothing, nothing, nothing)
    monkeypatch.setattr(watching.time, "sleep", clock.wait)
    ended = tailc("check", "toy.yaml", "--watch")
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "1 checked, 0 errors, 0 warnings"
    assert ended.err.count("error[TC0102]") == 1
    assert "watched for 2 rounds" in ended.out


def test_standard_input_is_not_watched(tailc):
    assert tailc("check", "-", "--watch").code == 64
