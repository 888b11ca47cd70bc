"""A page as one file: no script, no request, nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from importlib.resources import files

from tailc.report.page.content import Page
from tailc.units import printable

LARGEST_BYTES = 1_500_000


def page_bytes(page: Page) -> bytes:
    """The file, the same for the same page, at most `LARGEST_BYTES` long.

    A page that is too long shows half of the pictures of each section, and says so, until it fits.
    """
    written = _rendered(page)
    while len(written) > LARGEST_BYTES:
        fewer = replace(page, sections=tuple(section.halved() for section in page.sections))
        assert fewer != page, f"a page of {len(written)} bytes"
        page, written = fewer, _rendered(fewer)
    return written


def picture_style() -> str:
    """The style sheet of pictures, in the light, in the dark and on paper."""
    return _part("pictures.css")


def _rendered(page: Page) -> bytes:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["shown"] = printable
    style = picture_style() + _part("page.css")
    # The style itself may be used, and no other.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = environment.from_string(_part("page.html"))
    text = template.render(page=page, style=style, digest=digest)
    return text.encode("utf-8", "backslashreplace")


def _part(name: str) -> str:
    return (files("tailc.report.page") / "templates" / name).read_text(encoding="utf-8")
