"""Each symbol of a page's formulas stands in docs/symbols.md, where that links to the page."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

DOCS = ROOT / "docs"
_MATHS = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$([^$]+?)\$(?![\w$])", re.DOTALL)
_WORDS = re.compile(r"\\(?:mathrm|text|operatorname)\{[^}]*\}")
_LETTER = re.compile(r"\\?[A-Za-z]+")
# Of TeX, and of all mathematics: functions, Euler's number, the differential.
_COMMANDS = re.compile(
    r"\\(?:frac|sum|int|le|ge|lceil|rceil|dots|quad|qquad|min|max|cdot|times|top|leftarrow|sqrt|in"
    r"|infty|left|right|bar|neq|lfloor|rfloor|bmod|ln|sim)(?![a-z])|\be(?=\^)|(?<=1/)e\b|d(?=[xt]\b)"
)
# Money stands among its formulas.
WITHOUT = ("symbols", "published-results")


def formulas(text: str) -> list[str]:
    """What stands between dollars, blocks and code aside."""
    prose = re.sub(
        r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    )
    return [shown or inline for shown, inline in _MATHS.findall(prose)]


def letters(formula: str) -> set[str]:
    r"""The letters of a formula without what hangs on them: `w`, `\lambda` of `\lambda_i / w`."""
    plain = _COMMANDS.sub(" ", _WORDS.sub(" ", formula))
    found = _LETTER.findall(re.sub(r"_(\{[^}]*\}|\\[A-Za-z]+|\w)", " ", plain))
    return {letter for word in found for letter in ([word] if word[0] == "\\" else word)}


def registered() -> dict[str, set[str]]:
    """Page to the letters of the parts of the register that link to it."""
    text = (DOCS / "symbols.md").read_text(encoding="utf-8")
    letters_of: dict[str, set[str]] = defaultdict(set)
    for part in re.split(r"^(?=#|Of )", text, flags=re.MULTILINE):
        told = {letter for formula in formulas(part) for letter in letters(formula)}
        for page in re.findall(r"\]\(([\w-]+)\.md\)", part):
            letters_of[page] |= told
    return letters_of


PAGES = [page for page in sorted(DOCS.glob("*.md")) if page.stem not in WITHOUT]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_symbol_of_a_page_is_in_the_register(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    used = {letter for formula in formulas(text) for letter in letters(formula)}
    assert sorted(used - registered().get(page.stem, set())) == []


def test_letters_are_those_that_mean_something() -> None:
    formula = r"\frac{\lambda\, W_{ki}}{\max(v_0, x)} \le \int_0^w e^{-r t}\,dx \text{ for all } s"
    assert letters(formula) == {"\\lambda", "W", "v", "x", "w", "r", "t", "s"}


def test_every_name_in_the_register_is_one_of_the_code() -> None:
    sources = (*ROOT.glob("tailc/**/*.py"), *ROOT.glob("solvers/**/*.py"))
    code = {word for path in sources for word in re.findall(r"\w+", path.read_text("utf-8"))}
    rows = (DOCS / "symbols.md").read_text(encoding="utf-8").splitlines()
    names = [name for row in rows if row[:1] == "|" for name in re.findall(r"`(.+?)`", row)]
    named = {word for name in names for word in re.findall(r"[A-Za-z_]\w+", name)}
    assert len(named) > 100
    assert sorted(named - code) == []
