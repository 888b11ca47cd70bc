"""The page as a file: closed to the outside, the same each time, and safe whatever names it has."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

from tailc.experiment.ruling import Ruling
from tailc.forms.ladder.table import AT_ONCE, Climb, Row
from tailc.models.occupancy import Occupancy
from tailc.report.page.html_file import LARGEST_BYTES, page_bytes
from tailc.report.page.pages import policy_page, verdict_page
from tests.tailc.models.shared_cores.servers import ladder
from tests.tailc.report.page.pages_made import (
    HOSTILE,
    LADDER,
    made_page,
    made_policy,
    made_verdicts,
)
from tests.tailc.verify.policies import held_out

VOID = {"meta", "link", "br", "img", "input"}


class Elements(HTMLParser):
    """What stands in a page; an end without its start fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


_LINKS = ("#", "data:text/csv;base64,", "data:application/json;base64,")


def test_the_page_refers_to_nothing_but_itself():
    elements = Elements(page_bytes(made_page()).decode())
    names = {name for name, _ in elements.found}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "use", "form"}
    for name, attributes in elements.found:
        assert not {"src", "style", "srcset", "onclick", "onload"} & attributes.keys(), name
        href = attributes.get("href")
        assert href is None or href.startswith(_LINKS)


def test_the_policy_of_the_page_allows_its_own_style_alone():
    text = page_bytes(made_page()).decode()
    (said,) = [
        meta["content"]
        for meta in Elements(text).of("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert said == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style


def test_names_of_users_stay_text():
    text = page_bytes(made_page(HOSTILE)).decode()
    assert "<script" not in text
    assert "\x1b" not in text
    Elements(text)


def test_every_picture_is_named_described_and_has_its_numbers():
    text = page_bytes(made_page()).decode()
    elements = Elements(text)
    ids = [attributes["id"] for _, attributes in elements.found if attributes.get("id")]
    assert len(ids) == len(set(ids))
    pictures = elements.of("svg")
    # Two spectra, rates, costs, a map, demand, speed-up and the certificate.
    assert len(pictures) == 8
    for picture in pictures:
        assert picture["role"] == "img"
        assert set((picture["aria-labelledby"] or "").split()) <= set(ids)
    assert len([a for a in elements.of("a") if "download" in a]) >= len(pictures)
    assert all(link["href"][1:] in ids for link in elements.of("a") if link["href"][0] == "#")


def test_the_largest_page_is_not_too_large():
    many = made_verdicts()
    points = tuple(replace(many.points[0], arrivals=f"day {n}") for n in range(50))
    full = Occupancy(2_000, tuple((40,) * 60 for _ in range(401)))
    points = tuple(replace(p, policy=replace(p.policy, occupancy=(full,))) for p in points)
    page = verdict_page(made_policy(), replace(many, points=points), held_out(20_000), ["d1", "d2"])
    written = page_bytes(page)
    assert len(written) <= LARGEST_BYTES
    assert b"Spectra of the first 12 of 50 are shown." in written


def test_a_policy_of_many_classes_and_rows_fits():
    rows = tuple(
        Row(
            n,
            n + 1 if n < 400 else None,
            AT_ONCE,
            (Climb(0, 0), *(Climb(n + k, k) for k in range(1, 8))),
        )
        for n in range(0, 402, 2)
    )
    form = ladder(*rows, rungs=8)
    ladders = tuple(replace(form, request_class=f"class {n}") for n in range(40))
    page = policy_page(replace(made_policy(), forms=ladders))
    written = page_bytes(page)
    assert len(written) <= LARGEST_BYTES
    assert b"Maps of the first 12 of 40 ladders are shown." in written
    assert b"The page has no room for more of the pictures." in written
    assert written.count(b"<svg") >= 6
    assert b"more lines, which the command prints" in written


def test_the_same_page_has_the_same_bytes_in_every_process():
    code = (
        "import sys, hashlib\n"
        "from tests.tailc.report.page.pages_made import made_page\n"
        "from tailc.report.page.html_file import page_bytes\n"
        "print(hashlib.sha256(page_bytes(made_page())).hexdigest())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo"},
    )
    assert ended.stdout.strip() == hashlib.sha256(page_bytes(made_page())).hexdigest()


def test_an_artifact_alone_has_its_map_and_its_certificate():
    ids = [section.ident for section in policy_page(made_policy()).sections]
    assert ids == ["map", "proof", "words"]
    assert LADDER.rungs[0].name in page_bytes(policy_page(made_policy())).decode()


def test_a_rate_that_overloads_the_policy_shows_the_baselines_that_keep_up():
    steady, busy = made_verdicts().points
    load = replace(busy.policy.load, is_overloaded=True)
    ruled = tuple(replace(one, ruling=Ruling.FAIL) for one in busy.policy.estimates)
    lost = replace(busy, policy=replace(busy.policy, load=load, estimates=ruled, spectrum=()))
    judged = replace(made_verdicts(), points=(steady, lost))
    page = verdict_page(made_policy(), judged, held_out(), ["d1", "d2"])
    text = page_bytes(page).decode()
    assert '<p class="reason">p99 &lt;= 500 ms at 40.5/s: the server is overloaded.</p>' in text
    (figure,) = (f for f in page.sections[0].figures if f.title.endswith("at 40.5/s"))
    assert "The policy overloads the server" in figure.caption
    assert {row[0] for numbers in figure.numbers for row in numbers.rows} == {"SEQ", "RC-4"}
