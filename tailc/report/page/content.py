"""A page before it is written: its title, what is told at the top, and sections of figures."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.report.page.figure import Figure


@dataclass(frozen=True)
class Section:
    """Figures that belong together; `says` is a paragraph above them, or nothing."""

    ident: str
    title: str
    figures: tuple[Figure, ...] = ()
    says: str = ""
    text: str = ""


@dataclass(frozen=True)
class Page:
    """`facts` are names and values at the top; `ruling` is pass, fail, undecided, or nothing."""

    title: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    ruling: str = ""
