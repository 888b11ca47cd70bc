"""Values given on the command line stand in the spec, and know where they were written."""

import pytest

from tailc.errors import Code, Place, TailcError
from tailc.specs.load import check_document
from tailc.specs.tree import plain
from tailc.specs.variations import read_variation, refuse_overlap
from tests.tailc.specs.writing import GOOD, MODELS, document


def refusal(argument, text=GOOD):
    """What is wrong with the argument, or with the spec that it makes."""
    with pytest.raises(TailcError) as caught:
        check_document(read_variation(argument).insert(document(text), 0), MODELS)
    (finding,) = caught.value.findings
    assert finding.help
    return finding


def underlined(place):
    assert place.source == "--set"
    return place.excerpt[place.column - 1 : place.column - 1 + place.width]


@pytest.mark.parametrize(
    ("argument", "path", "values"),
    [
        ("server.cores=12,24", ("server", "cores"), ["12", "24"]),
        ("slo[0].latency=300ms", ("slo", 0, "latency"), ["300ms"]),
        ("rates=[30/s, 40/s],[50/s]", ("rates",), ["[30/s, 40/s]", "[50/s]"]),
        ("held_out={by: time, fraction: 20%}", ("held_out",), ["{by: time, fraction: 20%}"]),
        ("name='a b',c", ("name",), ["a b", "c"]),
        ("start=2026-06-16T09:00-07:00", ("start",), ["2026-06-16T09:00-07:00"]),
    ],
)
def test_an_argument_is_a_path_and_values_as_a_spec_has_them(argument, path, values):
    read = read_variation(argument)
    assert read.path == path
    assert [read.argument_text(number) for number in range(len(read.values))] == values


def test_a_value_stands_where_the_path_leads():
    read = read_variation("slo[0].latency=300ms,[1]")
    found = [plain(read.insert(document(GOOD), number).root) for number in (0, 1)]
    assert [one["slo"][0] for one in found] == [
        {"percentile": "99%", "latency": "300ms"},
        {"percentile": "99%", "latency": [1]},
    ]
    assert all(one["rates"] == ["30/s", "40/s", "44/s"] for one in found)


def test_mappings_that_are_missing_are_made():
    made = read_variation("search.step=5ms").insert(document(GOOD), 0)
    assert plain(made.root)["search"] == {"step": "5ms"}


def test_all_else_keeps_its_line():
    wrong = GOOD.replace("measure: demand-busy", "measure: demand-bussy")
    finding = refusal("server.cores=12", wrong)
    assert (finding.place.source, finding.place.line) == ("service.yaml", 10)


def test_a_bad_value_is_shown_in_the_argument():
    finding = refusal("slo[0].latency=500%,2ms")
    assert finding.code is Code.BAD_UNIT
    assert underlined(finding.place) == "500%"


def test_a_key_that_does_not_exist_is_shown_with_the_one_that_was_meant():
    finding = refusal("server.target_paralelism=12")
    assert finding.code is Code.UNKNOWN_KEY
    assert underlined(finding.place) == "target_paralelism"
    assert "did you mean `target_parallelism`" in finding.help


def test_what_lacks_beside_a_value_is_shown_at_its_mapping():
    finding = refusal("slo[0]={latency: 5ms}")
    assert finding.message == "`slo[0].percentile` is missing"
    assert underlined(finding.place) == "{latency: 5ms}"


def test_a_conflict_says_what_was_given():
    text = GOOD.replace("quantum: 5ms", "max_degree: 4")
    finding = refusal("speedup=[1, 2]", text)
    assert (finding.place.source, finding.place.line) == ("service.yaml", 13)
    assert "`speedup` is given by `--set`" in finding.help


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("server.cores", "`server.cores` gives no values"),
        ("server.cores=", "`server.cores` has no value"),
        ("=12", "`` is not a path of keys"),
        ("server..cores=12", "`server..cores` is not a path of keys"),
        ("server.=12", "`server.` is not a path of keys"),
        ("slo[x]=12", "`slo[x]` is not a path of keys"),
        ("slo[1].latency=2ms", "`slo[1]` is not in the spec: the list has 1 entries"),
        ("slo.latency=2ms", "`slo` is a list"),
        ("server[0]=2ms", "`server` is not a list"),
        ("lanes[0]=2ms", "`lanes` is not in the spec"),
        ("name.first=a", "`name` has no keys in this spec, but the value `websearch-isn`"),
        ("rates=[30/s", "a list in brackets is not closed"),
        ("rates=1\nkind: 2", "the values contain a line break or a control character"),
    ],
)
def test_what_is_no_variation_is_refused_where_it_stands(argument, message):
    finding = refusal(argument)
    assert (finding.code, finding.message) == (Code.USAGE, message)
    assert isinstance(finding.place, Place)
    assert finding.place.excerpt == argument.partition("\n")[0] or "\n" in argument


@pytest.mark.parametrize("other", ["server.cores=4", "server={cores: 3}"])
def test_one_part_of_a_spec_is_given_once(other):
    with pytest.raises(TailcError, match="` set the same part of the spec"):
        refuse_overlap([read_variation("server.cores=12"), read_variation(other)])
