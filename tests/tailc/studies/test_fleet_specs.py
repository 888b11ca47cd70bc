"""Specs of many services from a table and a template: what is written, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailc.cli import BELOW, COMMANDS
from tailc.specs.document import MAX_BYTES
from tailc.studies import fleet_specs
from tests.tailc.schemas import validate

TABLE = 'service,rates\nmaps/tiles,"10/s, 20/s"\nsearch,5/s\n'
TEMPLATE = "apiVersion: tailc/v1\nname: a$$b\nrates: [${rates}]\n"
OUTPUT_SCHEMA = Path(__file__).parents[3] / "schemas/report/output-1.schema.json"


@pytest.fixture
def write(in_folder, tailc):
    """Write the specs of a table and a template to `specs`, and return how the command ended."""

    def run(table=TABLE, template=TEMPLATE, *words):
        Path("t.csv").write_text(table)
        Path("t.yaml").write_text(template)
        return tailc("fleet", "specs", "t.csv", "--template", "t.yaml", "-o", "specs", *words)

    return run


def _specs():
    return {str(path): path.read_text() for path in sorted(Path("specs").rglob("*.yaml"))}


def test_each_row_becomes_a_spec(write):
    assert write().out == "2 specs written, 0 unchanged\n"
    heads, texts = zip(*(text.split("\n", 1) for text in _specs().values()), strict=True)
    assert set(heads) == {
        "# Written by `tailc fleet specs`: change the table or the template instead."
    }
    assert list(_specs()) == ["specs/maps/tiles.yaml", "specs/search.yaml"]
    assert texts[0] == "apiVersion: tailc/v1\nname: a$b\nrates: [10/s, 20/s]\n"
    assert texts[1] == "apiVersion: tailc/v1\nname: a$b\nrates: [5/s]\n"


def test_only_specs_that_change_are_written(write):
    write()
    before = Path("specs/search.yaml").stat()
    ended = write(TABLE.replace("20/s", "30/s"))
    assert ended.out == "1 spec written, 1 unchanged\n"
    assert Path("specs/search.yaml").stat() == before
    assert "30/s" in _specs()["specs/maps/tiles.yaml"]


def test_a_spec_without_a_row_stays_with_a_warning(write):
    write()
    ended = write("service,rates\nsearch,5/s\n", TEMPLATE, "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, json.loads(OUTPUT_SCHEMA.read_text()))
    assert document["result"] == {
        "written": [],
        "unchanged": 1,
        "unlisted": ["specs/maps/tiles.yaml"],
    }
    assert [finding["code"] for finding in document["findings"]] == ["TC0708"]
    assert ended.code == 0
    assert "specs/maps/tiles.yaml" in _specs()


@pytest.mark.parametrize(
    ("table", "place", "message"),
    [
        ("service,rates\n", "t.csv", "the table has no row"),
        ("", "t.csv:1", "the table has no column `service`"),
        ("name,rates\na,5/s\n", "t.csv:1", "the table has no column `service`"),
        ("service,rates,rates\na,5/s,6/s\n", "t.csv:1", "the table has two columns `rates`"),
        ("service,rates\na,5/s,6/s\n", "t.csv:2", "the row has 3 cells, but the header has 2"),
        ("service,rates\na,\n", "t.csv:2, column `rates`", "the value is missing"),
        ("service,rates\na,5/s\na,6/s\n", "t.csv:3, column `service`", "`a` has 2 rows"),
        ("service,rates\n../a,5/s\n", "t.csv:2, column `service`", "`../a` is no name"),
        ("service,rates\n/etc/a,5/s\n", "t.csv:2, column `service`", "`/etc/a` is no name"),
        ("service,rates\na/.git/b,5/s\n", "t.csv:2, column `service`", "`a/.git/b` is no name"),
        ("service,rates\na,5/s] #\n", "t.csv:2, column `rates`", "`5/s] #` has YAML syntax"),
        ("service,rates\na,- 5/s\n", "t.csv:2, column `rates`", "`- 5/s` has YAML syntax"),
        ("service,rates\na,x: y\n", "t.csv:2, column `rates`", "`x: y` has YAML syntax"),
        ('service,rates\na,"5/s\nkind: x"\n', "t.csv:2, column `rates`", "has YAML syntax"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_with_its_place(write, table, place, message):
    ended = write(table)
    assert ended.code == 65
    assert message in ended.err
    assert f"--> {place}\n" in ended.err
    assert not Path("specs").exists()


def test_a_table_may_be_larger_than_a_spec(write, monkeypatch):
    notes = [f"note{number}" for number in range(100)]
    rows = [[f"s{row}", "5/s", *["x" * 1_000] * len(notes)] for row in range(11)]
    large = "".join(",".join(row) + "\n" for row in [["service", "rates", *notes], *rows])
    assert len(large) > MAX_BYTES
    assert write(large).out == "11 specs written, 0 unchanged\n"
    monkeypatch.setattr(fleet_specs, "_MOST_TABLE_BYTES", MAX_BYTES)
    ended = write(large)
    assert "the table is larger than the limit of 1,048,576 bytes" in ended.err
    assert "split the table" in ended.err


def test_files_that_cannot_be_read_are_named_as_what_they_are(write, tailc):
    write()
    ended = tailc("fleet", "specs", "no.csv", "--template", "t.yaml", "-o", "specs")
    assert "give the path of a table file" in ended.err
    ended = tailc("fleet", "specs", "t.csv", "--template", "no.yaml", "-o", "specs")
    assert "give the path of a template file" in ended.err


def test_a_wrong_template_is_refused_with_its_place(write):
    ended = write(TABLE, TEMPLATE.replace("${rates}", "${rate}"))
    assert ended.code == 65
    assert "the table has no column `rate`" in ended.err
    assert "--> t.yaml:3:9\n" in ended.err
    assert "did you mean `rates`?" in ended.err
    ended = write(TABLE, "rates: [5/s]\n")
    assert "the template has no slot" in ended.err
    ended = write(TABLE, "rates: [${rates}\n")
    assert "t.yaml for `maps/tiles`:" in ended.err
    assert not Path("specs").exists()


def test_a_file_that_the_command_did_not_write_is_not_replaced(write):
    Path("specs").mkdir()
    Path("specs/search.yaml").write_text("mine")
    ended = write()
    assert ended.code == 73
    assert "`specs/search.yaml` is not a spec that `tailc fleet specs` wrote" in ended.err
    assert _specs() == {"specs/search.yaml": "mine"}


def test_the_schema_of_outputs_has_every_command():
    known = json.loads(OUTPUT_SCHEMA.read_text())["properties"]["command"]["enum"]
    assert known == sorted({*COMMANDS, *(" ".join(words) for words in BELOW), "tailc"})
