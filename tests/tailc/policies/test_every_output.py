"""What every command prints as JSON of every kind is what the schemas say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tailc.artifact.envelope import COMPILED_SPEC
from tailc.errors import ExitCode
from tailc.policies import KINDS
from tailc.traces.zones import utc_text
from tests.tailc.policies.cases import Case
from tests.tailc.policies.compiled import Compiled, compiled_kind
from tests.tailc.schemas import validate

REPORTS = Path(__file__).parents[3] / "schemas/report"
OUTPUT = json.loads((REPORTS / "output-1.schema.json").read_text())
# The documents inside that have a schema of their own, by the format that they name.
INNER = {
    schema["properties"]["format"]["const"]: schema
    for path in REPORTS.glob("*.schema.json")
    if "const" in (schema := json.loads(path.read_text())).get("properties", {}).get("format", {})
}
BRIEF = ("--requests", "400", "--replicates", "49", "--no-progress")
Document = dict[str, Any]
Ask = Callable[..., Document]


@pytest.fixture(scope="module", params=sorted(KINDS))
def compiled(request, tmp_path_factory) -> Compiled:
    return compiled_kind(tmp_path_factory, request.param)


@pytest.fixture(scope="module")
def case(compiled) -> Case:
    return compiled.case


@pytest.fixture(scope="module")
def stem(compiled) -> Path:
    """Where the policy lies."""
    return compiled.stem


@pytest.fixture
def ask(tailc) -> Ask:
    """The document that a command prints, which is as the schema says and has a result."""

    def asked(*words: object) -> Document:
        ended = tailc(*words, "--output-format", "json")
        return result_of(ended.out, ended.code)

    return asked


def result_of(out: str, code: int) -> Document:
    """Of what a command printed."""
    document = json.loads(out)
    validate(document, OUTPUT)
    assert document["exit_code"] == code
    assert document["result"], document["findings"]
    if inner := INNER.get(document["result"].get("format")):
        validate(document["result"], inner)
    return document["result"]


def test_a_compile_tells_more_than_the_policy(compiled):
    assert len(result_of(compiled.told, ExitCode.OK)) > len(("files", "policy", "versions"))


def test_versions_of_libraries_are_beside_the_policy_and_not_in_it(compiled):
    result = result_of(compiled.told, ExitCode.OK)
    evidence = result["policy"]["evidence"]
    assert {name for name, _ in evidence["versions"]} == {"tailc", COMPILED_SPEC}
    assert {"tailc", "numba", "numpy"} <= set(result["versions"])


def test_a_variant_has_figures(case, ask):
    (row,) = ask("sweep", case.spec, "--set", "name=other", "--jobs", 1)["rows"]
    assert all(one["value"] is not None for one in row["figures"])
    assert len(row["figures"]) > 1


def test_an_inspection_shows_the_policy(stem, ask):
    assert ask("inspect", stem)["policy"]["format"]


def test_a_lookup_answers(stem, ask):
    first, *_ = ask("inspect", stem)["policy"]["forms"]
    is_by_rate = first.get("load_axis") == "rate_mrps"
    words = {
        "shares": (),
        "tail-table": ("--held", "1ms"),
        "ladder": ("--rate", "5/s") if is_by_rate else ("--in-system", "2"),
        "plan": ("--at", utc_text(first.get("start_unix_s", 0))),
        "budget-table": ("--decoding", "2"),
    }
    assert ask("lookup", stem, *words[first["form"]])


def test_a_check_and_a_schema_say_what_they_found(case, stem, ask):
    assert ask("check", case.spec, "--with-trace")["checked"] == 1
    assert ask("schema", ask("inspect", stem)["policy"]["kind"])


@pytest.mark.parametrize("command", ["verify", "simulate"])
def test_verdicts_are_documents_of_their_own(case, stem, ask, command):
    of = case.spec if command == "simulate" else stem
    told = ask(command, of, "--trace", case.held_out, *_brief(ask, stem))
    assert told["format"] in INNER
    assert told["verdict"] in ("pass", "fail", "undecided")


def test_differences_are_a_document_of_their_own(case, stem, ask):
    assert ask("diff", stem, stem)["format"] in INNER
    if _has_budgets(ask("inspect", stem)["policy"]):
        return
    told = ask("diff", stem, stem, "--trace", case.held_out, *_brief(ask, stem))
    assert told["differs"] is False


@pytest.mark.parametrize("command", ["report", "diff", "verify"])
def test_pictures_are_drawn_or_said_to_be_missing(case, stem, ask, tailc, tmp_path, command):
    """A page of each kind, and in the terminal a map of each ladder."""
    judged = ("--trace", case.held_out, *_brief(ask, stem))
    alone = ("--baselines", "none") * (BRIEF[0] in judged)
    of_diff = () if _has_budgets(ask("inspect", stem)["policy"]) else judged
    words = {
        "report": (stem, "-o"),
        "diff": (stem, stem, *of_diff, "--report"),
        "verify": (stem, *judged, *alone, "--report"),
    }
    ended = tailc(command, *words[command], tmp_path / "page.html", "--plot")
    assert ended.code in (ExitCode.OK, ExitCode.MISSED, ExitCode.UNDECIDED), ended.err
    forms = [form["form"] for form in ask("inspect", stem)["policy"]["forms"]]
    drawn = ended.out.count("\nRungs by load and age") + ended.out.startswith("Rungs by load")
    assert drawn == forms.count("ladder")
    assert ended.out.count("no map: ") == (not drawn)
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") >= len(forms) or "There is no map: " in page


def test_a_capacity_is_a_document_of_its_own_or_refused(case, stem, tailc):
    """Of throughput, and of tails that a controller keeps at their target, there is none."""
    ended = tailc("size", stem, "--trace", case.held_out, *BRIEF, "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    if document["result"]:
        validate(document["result"], INNER[document["result"]["format"]])
    else:
        assert document["findings"][0]["severity"] == "error"


def _brief(ask: Ask, stem: Path) -> tuple[str, ...]:
    """As few requests as there may be, where demands are replayed."""
    policy = ask("inspect", stem)["policy"]
    return BRIEF if policy["rates_mrps"] and not _has_budgets(policy) else ()


def _has_budgets(policy: Document) -> bool:
    """Whether the policy has token budgets, of which `diff` replays no trace."""
    return policy["forms"][0]["form"] == "budget-table"
