"""Render a page as one HTML file without scripts or external resources."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from importlib.resources import files

from tailc.report.page.content import Page
from tailc.report.pictures.styles import page_style
from tailc.units import printable

LARGEST_BYTES = 1_500_000


def page_bytes(page: Page) -> bytes:
    """Render the page to bytes; the same page gives the same bytes, at most `LARGEST_BYTES`.

    While a page is too long, half of the pictures of each section are omitted, with a note.
    """
    page_html = _render(page)
    while len(page_html) > LARGEST_BYTES:
        fewer = replace(page, sections=tuple(section.halve() for section in page.sections))
        assert fewer != page, f"a page of {len(page_html)} bytes"
        page, page_html = fewer, _render(fewer)
    return page_html


def _render(page: Page) -> bytes:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["shown"] = printable
    style = page_style() + _part("page.css")
    # The content security policy allows this style sheet and nothing else.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = environment.from_string(_part("page.html"))
    text = template.render(page=page, style=style, digest=digest)
    return text.encode("utf-8", "backslashreplace")


def _part(name: str) -> str:
    return (files("tailc.report.page") / "templates" / name).read_text(encoding="utf-8")
