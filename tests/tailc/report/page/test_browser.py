"""The page in a real browser: drawn, silent, closed, and usable without seeing it or a mouse."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.report.page.controllers import control_section
from tailc.report.page.html_file import page_bytes
from tailc.report.page.pages import policy_page
from tailc.report.pictures.job_stack import jobs_figure
from tailc.report.pictures.loops import controller_figures
from tailc.report.pictures.picture_file import picture_svg
from tailc.report.pictures.power_series import power_from_plan
from tailc.report.pictures.power_stack import power_figures
from tests.tailc.artifact.published import policy_of
from tests.tailc.report.page.pages_made import made_page
from tests.tailc.report.pictures.loops_made import made_tuned

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium to look at reports with: `make browser` installs it"
)

SEEN = """
() => [...document.querySelectorAll("figure svg")].map(svg => {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll("path.line, circle, rect.cell")].filter(
    mark => mark.getBoundingClientRect().width > 0 || mark.getBoundingClientRect().height > 0);
  const texts = [...svg.querySelectorAll("text")].map(text => text.getBoundingClientRect());
  return {width: box.width, height: box.height, marks: marks.length,
    outside: texts.filter(t => t.left < box.left - 1 || t.right > box.right + 1
      || t.top < box.top - 1 || t.bottom > box.bottom + 1).length};
})
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(page_bytes(made_page()))
    return path


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM)
        yield launched
        launched.close()


@pytest.fixture(params=["light", "dark"])
def opened(browser, page_file, request):
    """The page, everything the browser had to say, and what it asked for."""
    page = browser.new_page(color_scheme=request.param, viewport={"width": 1000, "height": 800})
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda one: page.asked.append(one.url))
    page.goto(page_file.as_uri())
    yield page
    page.close()


def test_pictures_are_drawn_without_an_error_or_a_request(opened, page_file):
    pictures = opened.evaluate(SEEN)
    assert len(pictures) == 8
    for picture in pictures:
        assert picture["width"] > 600
        assert picture["height"] > 250
        assert picture["marks"] > 1
        assert picture["outside"] == 0
    assert opened.said == []
    assert opened.asked == [page_file.as_uri()]


def test_axe_finds_nothing(opened):
    from axe_playwright_python.sync_playwright import Axe

    for details in opened.query_selector_all("details"):
        details.evaluate("one => one.open = true")
    found = Axe().run(opened)
    told = [(rule["id"], [node["html"][:200] for node in rule["nodes"]])
            for rule in found.response["violations"]]  # fmt: skip
    assert told == []
    assert len(found.response["passes"]) > 20


def test_pages_of_plans_and_controllers_are_drawn_and_usable_in_a_narrow_window(browser, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    plan, control = policy_page(policy_of("plan")), control_section(made_tuned())
    assert control is not None
    both = replace(plan, sections=(*plan.sections, control))
    (tmp_path / "both.html").write_bytes(page_bytes(both))
    page = browser.new_page(viewport={"width": 320, "height": 700})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda one: asked.append(one.url))
    page.goto((tmp_path / "both.html").as_uri())
    pictures = page.evaluate(SEEN)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    found = Axe().run(page).response["violations"]
    page.close()
    assert [picture["outside"] for picture in pictures] == [0] * 10
    # Narrower than so, letters of 12 in 760 could not be read: the picture scrolls, not the page.
    assert all(picture["width"] > 500 for picture in pictures)
    assert width <= 320
    assert [rule["id"] for rule in found] == []
    assert (said, len(asked)) == ([], 1)


OUTSIDE = """
() => {
  const box = document.querySelector("svg").getBoundingClientRect();
  return [...document.querySelectorAll("text")].filter(text => {
    const t = text.getBoundingClientRect();
    return t.left < box.left || t.right > box.right || t.bottom > box.bottom;
  }).map(text => text.textContent);
}
"""


def test_texts_of_a_picture_file_are_inside_it(browser):
    """Long names of pools and jobs, dates at both ends, captions, and two columns."""
    plan = policy_of("plan").plan
    assert plan
    pools = tuple(replace(pool, name=f"{pool.name} of the old hall") for pool in plan.pools)
    jobs = tuple(replace(job, name=job.name * 9) for job in plan.jobs)
    # Twelve hours from 12:00, so that the last tick is midnight and has a date.
    day = replace(power_from_plan(plan), start_unix_s=1_338_552_000 + 8 * 3_600)
    figures = [
        *power_figures(day),
        jobs_figure(replace(plan, pools=pools, jobs=jobs)),
        *controller_figures(made_tuned()),
    ]
    page = browser.new_page()
    for columns in (1, 2):
        page.set_content(picture_svg(figures, "A heading", columns))
        assert page.evaluate("() => document.querySelectorAll('svg svg').length") == len(figures)
        assert page.evaluate(OUTSIDE) == []
    page.close()


def test_dark_is_dark_and_paper_is_white(opened):
    ground = "() => getComputedStyle(document.body).backgroundColor"
    is_dark = opened.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    assert opened.evaluate(ground) == ("rgb(20, 23, 26)" if is_dark else "rgb(255, 255, 255)")
    opened.emulate_media(media="print")
    assert opened.evaluate(ground) == "rgb(255, 255, 255)"
    assert not opened.locator("nav").is_visible()


def test_the_keyboard_reaches_the_numbers(opened):
    opened.keyboard.press("Tab")
    assert opened.evaluate("() => document.activeElement.className") == "skip"
    summary = opened.locator("summary").first
    summary.focus()
    opened.keyboard.press("Enter")
    link = opened.locator("a[download]").first
    assert link.is_visible()
    link.focus()
    with opened.expect_download() as download:
        opened.keyboard.press("Enter")
    assert download.value.suggested_filename == "spectrum-1.csv"
    head = Path(download.value.path()).read_text().splitlines()[0]
    assert head == "subject,percentile,latency [ms],low [ms],high [ms]"
    assert opened.said == []


def test_a_narrow_window_scrolls_no_sideways(opened):
    opened.set_viewport_size({"width": 360, "height": 700})
    assert opened.evaluate("() => document.documentElement.scrollWidth") <= 360
