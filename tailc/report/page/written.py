"""A page as one file: no script, no request, nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from tailc.report.page.content import Page
from tailc.units import printable

LARGEST_BYTES = 1_500_000


def page_bytes(page: Page) -> bytes:
    """The file, the same for the same page, at most `LARGEST_BYTES` long."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["shown"] = printable
    style = _part("page.css")
    # The style itself may be used, and no other.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = environment.from_string(_part("page.html"))
    text = template.render(page=page, style=style, digest=digest)
    written = text.encode("utf-8", "backslashreplace")
    assert len(written) <= LARGEST_BYTES, f"a page of {len(written)} bytes"
    return written


def _part(name: str) -> str:
    return (files("tailc.report.page") / "templates" / name).read_text(encoding="utf-8")
