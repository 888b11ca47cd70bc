"""An end-to-end percentile over several servers, in every kind that has objectives."""

import pytest

from tailc.artifact.files import read_policy
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tailc.policies import KINDS
from tailc.specs.slo_spec import WithSlos
from tests.tailc.policies.cases import write_case
from tests.tailc.toy import with_lines, write_toy

PROMISING = sorted(n for n, kind in KINDS.items() if issubclass(kind.spec_model, WithSlos))
TOY_SLO = "slo: [{percentile: 99%, latency: 200ms}]"


@pytest.mark.parametrize("kind", PROMISING)
def test_every_kind_with_objectives_works_for_the_percentile_of_one_server(kind, tmp_path):
    case = write_case(kind, tmp_path)
    text = case.spec.read_text()
    percentile, rest = text.split("slo: [{percentile: ", 1)[1].split("%, ", 1)
    latency = rest.split("}", 1)[0]
    objective = f"{{percentile: 81%, {latency}, fan_out: 2}}"
    case.spec.write_text(text.replace(f"{{percentile: {percentile}%, {latency}}}", objective, 1))
    spec = open_kind(str(case.spec)).spec
    # 0.9 * 0.9 = 0.81.
    assert spec.slos[0].percentile_ppm == 900_000
    assert str(spec.end_to_ends[0]) == "p81 end to end of 2 servers"


@pytest.fixture
def fanned_out(tmp_path):
    end_to_end = "slo: [{percentile: 98.01%, latency: 200ms, fan_out: 2}]"
    return write_toy(tmp_path, with_lines((TOY_SLO, end_to_end)))


def test_the_policy_is_that_of_the_percentile_of_one_server(fanned_out, tmp_path):
    found = compile_policy(fanned_out).policy
    alone = compile_policy(write_toy(tmp_path)).policy
    # 0.99 * 0.99 = 0.9801, and p99 is the toy's own objective.
    assert (found.slos, found.forms) == (alone.slos, alone.forms)
    settings = dict(found.evidence.settings)
    assert (settings["slo_1_end_to_end_ppm"], settings["slo_1_servers"]) == (980_100, 2)
    assert "slo_1_servers" not in dict(alone.evidence.settings)


def test_inspect_states_both_percentiles(fanned_out, tmp_path, tailc):
    stem = tmp_path / "policy"
    assert tailc("compile", fanned_out, "-o", stem, "--no-progress").code == 0
    assert "SLO        p99 <= 200 ms (p98.01 end to end of 2 servers)" in tailc("inspect", stem).out
    assert dict(read_policy(stem).evidence.settings)["slo_1_servers"] == 2


def test_a_sample_too_small_for_the_percentile_of_one_server_is_told_how_many_it_needs(tmp_path):
    asked = "slo: [{percentile: 90%, latency: 150ms, fan_out: 10}]"
    found = compile_policy(write_toy(tmp_path, with_lines((TOY_SLO, asked))))
    (told,) = [finding for finding in found.findings if "cannot estimate" in finding.message]
    assert "`p98.952 <= 150 ms` (for p90 end to end of 10 servers)" in told.message
    # ln 0.025 / ln 0.98952 = 350.1.
    assert told.help is not None
    assert "measure at least 351 requests" in told.help
