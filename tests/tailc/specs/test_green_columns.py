"""Columns of green shares and deadlines, shares with decimals, and money as people write it."""

from __future__ import annotations

import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.days.log import job_columns
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.specs.document import parse_document
from tailc.specs.jobs import SameShare
from tailc.specs.load import check_document
from tailc.traces.jobs.job_list import ShareColumn

SPEC = """\
apiVersion: tailc/v1
kind: green-sla
name: kit
jobs: {jobs}
supply:
  green: [{{trace: roof.csv, column: w, unit: W{peak}}}]
  price: {price}
horizon: {{start: "2020-06-04T00:00Z"}}
datacentre: {{racks: 5, servers: 4, busy: 140W}}
terms: {{green: {fee}, brown: 24c/h, penalty: 50c/h}}
"""
COLUMNS = "submit: s, run: r, width: w"
LOG = f"{{trace: jobs.csv, columns: {{{COLUMNS}}}, green: {{share: 50%}}}}"


def read(jobs=LOG, price="10.55c/kWh", fee="29c/h", peak="") -> GreenSlaSpec:
    text = SPEC.format(jobs=jobs, price=price, fee=fee, peak=peak)
    model = check_document(parse_document(text, "spec.yaml"), {"green-sla": GreenSlaSpec}).model
    assert isinstance(model, GreenSlaSpec)
    return model


def refused(**changed):
    with pytest.raises(TailcError) as caught:
        read(**changed)
    (finding,) = caught.value.findings
    return finding


@pytest.mark.parametrize(
    "jobs",
    [
        f"{{trace: jobs.csv, columns: {{{COLUMNS}, green: share}}}}",
        f"{{trace: jobs.csv, columns: {{{COLUMNS}}}, green: {{column: share}}}}",
    ],
)
def test_a_column_of_shares_is_named_in_either_place(jobs):
    columns = job_columns(read(jobs).jobs)
    assert columns is not None
    assert columns.green == ShareColumn("share")


def test_a_column_of_shares_may_state_its_unit():
    jobs = f"{{trace: jobs.csv, columns: {{{COLUMNS}, green: g, green_unit: '1', deadline: d}}}}"
    columns = job_columns(read(jobs).jobs)
    assert columns is not None
    assert (columns.green, columns.deadline) == (ShareColumn("g", "1"), "d")


@pytest.mark.parametrize(
    ("jobs", "code", "says"),
    [
        (
            f"{{trace: j.csv, columns: {{{COLUMNS}, green: g}}, green: {{seed: 1}}}}",
            Code.CONFLICT,
            "both define the green share",
        ),
        (f"{{trace: j.csv, columns: {{{COLUMNS}, green_unit: '1'}}}}", Code.CONFLICT, "no column"),
        ("{trace: j.swf, green: {column: g}}", Code.CONFLICT, "are fixed"),
        (
            f"{{trace: j.csv, columns: {{{COLUMNS}}}, green: {{share: 101%}}}}",
            Code.BAD_VALUE,
            "from 0 % to 100 %",
        ),
    ],
)
def test_a_share_that_is_defined_twice_or_not_at_all_is_refused(jobs, code, says):
    finding = refused(jobs=jobs)
    assert finding.code is code
    assert says in finding.message
    assert finding.help


@pytest.mark.parametrize(
    ("share", "ppm"), [("33.3%", 333_000), ("0%", 0), ("100%", 10**6), ("0.25%", 2_500)]
)
def test_a_share_may_have_decimals(share, ppm):
    spec = read(LOG.replace("50%", share))
    assert spec.jobs.green is not None
    assert spec.jobs.green.asked == SameShare(share=share)
    assert spec.jobs.green.asked.model_dump() == {"share": ppm}


@pytest.mark.parametrize("price", ["10.55c/kWh", "0.1055$/kWh", "0.1055USD/kWh", "105.5USD/MWh"])
def test_a_price_is_in_cents_or_dollars(price):
    assert read(price=price).supply.price == 105_500
    assert read(price="105.5$/MWh").supply.price == 105_500


@pytest.mark.parametrize("fee", ["29c/h", "0.29$/h", "0.29USD/h"])
def test_a_fee_is_in_cents_or_dollars(fee):
    assert read(fee=fee).terms.green == 290_000


def test_a_power_may_be_in_megawatts():
    scale = read(peak=", peak: 0.009MW").supply.green[0].scale
    assert scale.model_dump() == {"peak_mw": 9_000_000}


@pytest.mark.parametrize(
    ("changed", "meant"),
    [
        ({"price": "95EUR/MWh"}, "`95USD/MWh`"),
        ({"price": "9.5ct/kWh"}, "`9.5c/kWh`"),
        ({"fee": "0.29EUR/h"}, "`0.29USD/h`"),
    ],
)
def test_other_money_is_refused_with_the_form_to_write(changed, meant):
    finding = refused(**changed)
    assert finding.code is Code.BAD_UNIT
    assert finding.help is not None
    assert meant in finding.help
    assert "same other currency" in finding.help
