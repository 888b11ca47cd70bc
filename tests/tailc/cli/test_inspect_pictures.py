"""tailc inspect with pictures of a plan."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tailc.report.pictures.job_stack import jobs_figure
from tailc.report.pictures.picture_file import picture_bytes
from tailc.report.pictures.power_series import power_from_plan
from tailc.report.pictures.power_stack import power_figures
from tailc.traces.zones import zone_of
from tests.tailc.artifact.published import VECTORS, policy_of
from tests.tailc.cli.imports_case import imported
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.schemas import validate

RACKS = VECTORS / "plan"


@pytest.fixture
def plan():
    found = policy_of("plan").plan
    assert found
    return found


def test_both_pictures_are_written_and_told(in_folder, tailc, plan):
    ended = tailc("inspect", RACKS, "--picture", "out/power.svg", "--jobs-picture", "jobs.PNG")
    assert ended.code == 0
    assert ended.out == tailc("inspect", RACKS).out + "wrote out/power.svg\nwrote jobs.PNG\n"
    drawn = picture_bytes(Path("power.svg"), power_figures(power_from_plan(plan)))
    assert (in_folder / "out/power.svg").read_bytes() == drawn
    drawn = picture_bytes(Path("jobs.png"), [jobs_figure(plan)])
    assert (in_folder / "jobs.PNG").read_bytes() == drawn


def test_a_file_has_the_pictures_of_the_page(in_folder, tailc):
    assert tailc("inspect", RACKS, "--picture", "a.svg", "--jobs-picture", "b.svg").code == 0
    assert tailc("report", RACKS, "-o", "page.html").code == 0
    page = (in_folder / "page.html").read_text()
    for name, count in (("a.svg", 2), ("b.svg", 1)):
        pictures = re.findall(r"<svg [^>]*role=.*?</svg>", (in_folder / name).read_text())
        assert len(pictures) == count
        assert all(picture in page for picture in pictures)


def test_either_picture_comes_alone_in_a_zone(in_folder, tailc, plan):
    assert tailc("inspect", RACKS, "--jobs-picture", "jobs.svg", "--zone", "-07:00").code == 0
    drawn = picture_bytes(Path("jobs.svg"), [jobs_figure(plan, zone_of("-07:00"))])
    assert (in_folder / "jobs.svg").read_bytes() == drawn
    assert [path.name for path in in_folder.iterdir()] == ["jobs.svg"]


def test_the_files_are_in_the_document_where_there_are_some(in_folder, tailc):
    words = ("inspect", RACKS, "--output-format", "json")
    document = json.loads(tailc(*words, "--picture", "power.svg").out)
    validate(document, OUTPUT)
    assert document["result"]["files"] == ["power.svg"]
    assert "files" not in json.loads(tailc(*words).out)["result"]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--picture", "power.gif"), "`power.gif` ends in neither `.svg` nor `.png`"),
        (("--picture", "power.svg", "--jobs-picture", "jobs"), "`jobs` ends in neither"),
        (("--picture", "a.svg", "--jobs-picture", "./a.svg"), "name the same file"),
        (("--picture", "a.svg", "--zone", "Mars/Utopia"), "is not a time zone"),
        (("--zone", "UTC"), "add `--picture` or `--jobs-picture`"),
    ],
)
def test_a_wrong_option_is_named_and_nothing_is_written(in_folder, tailc, words, wrong):
    ended = tailc("inspect", RACKS, *words)
    assert ended.code == 64
    assert wrong in ended.err
    assert not list(in_folder.iterdir())


@pytest.mark.parametrize("option", ["--picture", "--jobs-picture"])
def test_only_a_plan_has_such_pictures(in_folder, tailc, option):
    ended = tailc("inspect", VECTORS / "lucene", option, "a.svg")
    assert (ended.code, ended.out) == (64, "")
    assert f"this artifact is not a plan: {option} does not apply" in ended.err
    assert not list(in_folder.iterdir())


def test_where_one_picture_cannot_be_written_neither_is(in_folder, tailc):
    (in_folder / "file").write_text("")
    ended = tailc("inspect", RACKS, "--picture", "power.svg", "--jobs-picture", "file/jobs.svg")
    assert ended.code == 73
    assert "file/jobs.svg" in ended.err
    assert [path.name for path in in_folder.iterdir()] == ["file"]


def test_a_png_without_its_library_names_what_is_missing(in_folder, tailc, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    ended = tailc("inspect", RACKS, "--picture", "power.svg", "--jobs-picture", "jobs.png")
    assert ended.code == 69
    assert "error[TC0703]: a picture in a PNG file needs `resvg_py`" in ended.err
    assert "pip install 'tailc[plot]'`, or name the file FILE.svg" in ended.err
    assert not list(in_folder.iterdir())
    assert tailc("inspect", RACKS, "--picture", "power.svg").code == 0


def test_words_alone_do_not_load_what_draws(in_folder):
    plot, library = "tailc.report.pictures.plot", "resvg_py"
    assert not {plot, library} & imported(in_folder, "inspect", str(RACKS))
    found = imported(in_folder, "inspect", str(RACKS), "--picture", "power.svg")
    assert found & {plot, library} == {plot}
