"""The numbers of pictures, as JSON in a page and as Parquet."""

from __future__ import annotations

import base64
import json

import pyarrow.parquet as pq

from tailc.report.page.page_data import written_page_data
from tailc.report.page.pages import policy_page
from tailc.report.pictures.figure import Numbers
from tests.tailc.artifact.published import VECTORS, lucene_policy

NUMBERS = Numbers("costs", ("load", "cost"), (("1", "0.5"), ("2", "-")))


def test_json_has_an_object_for_each_row() -> None:
    head, _, data = NUMBERS.json_link.partition(",")
    assert head == "data:application/json;base64"
    assert json.loads(base64.b64decode(data)) == [
        {"load": "1", "cost": "0.5"},
        {"load": "2", "cost": "-"},
    ]


def test_parquet_has_every_cell_of_every_picture(tmp_path) -> None:
    page = policy_page(lucene_policy())
    (tmp_path / "page.parquet").write_bytes(written_page_data(page))
    rows = pq.read_table(tmp_path / "page.parquet").to_pylist()
    numbers = [each for part in page.sections for figure in part.figures for each in figure.numbers]
    assert len(rows) == sum(len(each.heads) * len(each.rows) for each in numbers) > 0
    assert {row["table"] for row in rows} == {each.name for each in numbers}
    for row in rows:
        if row["number"] is not None:
            assert float(row["text"]) == row["number"]


def test_the_command_writes_both_files(in_folder, tailc) -> None:
    policy = str(VECTORS / "lucene.tailc")
    ended = tailc("report", policy, "-o", "page.html", "--data", "page.parquet")
    assert ended.code == 0
    assert ended.out.splitlines() == ["wrote page.html", "wrote page.parquet"]
    assert pq.read_table("page.parquet").column_names[0] == "table"
    assert tailc("report", policy, "--plot", "--data", "page.parquet").code == 64
    assert tailc("report", policy, "-o", "b.html", "--data", "page.csv").code == 64
    traced = ("--trace", "page.parquet", "--data", "page.parquet")
    assert tailc("report", policy, "-o", "b.html", *traced).code == 64
