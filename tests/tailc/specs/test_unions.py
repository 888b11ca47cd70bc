"""Values that may be one of several things: one finding of what was meant, with help of its own."""

from __future__ import annotations

import pytest

from tailc.errors import Code, TailcError
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.specs.document import parse_document
from tailc.specs.load import check_document

SPEC = """\
apiVersion: tailc/v1
kind: greenpar
name: kit
jobs: {trace: jobs.swf, applications: {FT: 2}}
supply:
  green: [{trace: roof.csv, column: w, unit: W}]
  price: 10.55c/kWh
horizon: {start: "2020-06-04T00:00Z"}
cluster: {servers: 10, busy: 30W, counts: any}
"""
PRICE, COUNTS = "10.55c/kWh", "counts: any"


@pytest.mark.parametrize(
    ("old", "new", "code", "says", "helps"),
    [
        (PRICE, "10EUR/kWh", Code.BAD_UNIT, "`EUR/kWh`", "`USD/kWh`"),
        (PRICE, "[1]", Code.BAD_VALUE, "`supply.price` must be a price", "`10.55c/kWh`"),
        (PRICE, "{trace: roof.csv}", Code.MISSING_KEY, "`supply.price.column`", "add `column"),
        (
            PRICE,
            "{trace: roof.csv, colum: w}",
            Code.UNKNOWN_KEY,
            "`supply.price.colum`",
            "`column`?",
        ),
        (COUNTS, "counts: [0, 3]", Code.BAD_VALUE, "`cluster.counts[0]`", "raise it to 1"),
        (COUNTS, "counts: all", Code.BAD_VALUE, "must be a list, not `all`", "or `any`"),
        (COUNTS, "counts: []", Code.BAD_VALUE, "`cluster.counts` is empty", "or `any`"),
    ],
)
def test_one_finding_tells_what_was_meant(old, new, code, says, helps):
    assert SPEC.count(old) == 1
    document = parse_document(SPEC.replace(old, new), "spec.yaml")
    with pytest.raises(TailcError) as caught:
        check_document(document, {"greenpar": GreenParSpec})
    (finding,) = caught.value.findings
    assert finding.code is code
    assert says in finding.message
    assert finding.help is not None
    assert helps in finding.help
