"""Tables that are made from the code are those that the pages hold."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from pydantic import BaseModel

from tailc.errors import Code, ExitCode
from tailc.policies import KINDS
from tailc.specs.key_groups import fields_of, models_in
from tailc.traces.speedup_check import MARGINAL_EFFICIENCY
from tests.docs.blocks import ROOT


def test_the_tables_are_those_that_the_code_makes_today(tmp_path: Path) -> None:
    pages = sorted((ROOT / "docs").glob("*.md"))
    for page in pages:
        shutil.copy(page, tmp_path)
    subprocess.run([sys.executable, ROOT / "docs" / "tables.py", tmp_path], check=True)
    stale = [page.name for page in pages if page.read_text() != (tmp_path / page.name).read_text()]
    assert stale == [], "run `python docs/tables.py` and read the difference"


def test_every_code_stands_on_its_page_once() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for code in Code:
        assert text.count(f"| {code.ident} | ") == 1, code
        assert code.title in text


def test_every_kind_is_compared_with_what_is_published() -> None:
    page = (ROOT / "docs" / "published-results.md").read_text(encoding="utf-8")
    summary = page.split("<!-- table: published -->")[1].split("<!-- end of table -->")[0]
    rows = [line.strip("| ").split(" | ")[:2] for line in summary.strip().splitlines()[2:]]
    assert {kind for kind, _ in rows} == set(KINDS)
    published = Counter(kind for kind, paper in rows if paper.strip())
    assert min(published.values()) >= 5


def test_every_exit_code_stands_on_its_page_with_its_number() -> None:
    lines = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[:2] for line in lines if line[:3].strip("| ").isdigit()]
    assert rows == [[f"| {int(code)}", code.name] for code in ExitCode]


def test_every_key_of_a_spec_stands_on_its_page() -> None:
    text = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    for kind in KINDS.values():
        for name in _names(kind.spec_model):
            assert f".{name}`" in text or f"| `{name}`" in text, name


def test_the_limits_that_few_to_many_tells_are_those_of_the_code() -> None:
    limits = importlib.import_module("tailc.problems.interval_grid")
    text = " ".join((ROOT / "docs" / "few-to-many.md").read_text(encoding="utf-8").split())
    shared = limits.MOST_SCHEDULES_SHARED_CURVES // 10**6
    own = limits.MOST_SCHEDULES_OWN_CURVES // 10**6
    for told in (
        f"at least a {limits.POINTS_PER_QUANTILE}th of the demand at the percentile",
        f"{shared} million schedules ({own} million if there are more than {limits.MOST_CLASSES} ",
    ):
        assert told in text
    assert f"at least {MARGINAL_EFFICIENCY} for each further thread" in text


def _names(model: type[BaseModel]) -> set[str]:
    """The keys of a model and of the models in its fields, as a user writes them."""
    fields = fields_of(model)
    inner = {one for field in fields.values() for one in models_in(field.annotation)}
    return set(fields).union(*(_names(one) for one in inner))
