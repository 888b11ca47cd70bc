"""HiGHS's words for a corner, read in a process of its own."""

import json
import os
import subprocess
import sys

import pytest
from tailc_solvers.backends.linear import BasisStatus

SCRIPT = """
import json, sys
import highspy
from tailc_solvers.backends.highs import _read_basis
basis = highspy.HighsBasis()
basis.valid = json.loads(sys.argv[1])
basis.col_status = [getattr(highspy.HighsBasisStatus, name) for name in sys.argv[2].split()]
basis.row_status = [getattr(highspy.HighsBasisStatus, name) for name in sys.argv[3].split()]
told = _read_basis(basis)
print(json.dumps(told and [told.variables.tolist(), told.rows.tolist()]))
"""


def told(variables: str, rows: str, *, is_valid: bool = True):
    """What is read of a basis with these statuses, by their names."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    asked = [sys.executable, "-c", SCRIPT, json.dumps(is_valid), variables, rows]
    return json.loads(subprocess.run(asked, check=True, env=env, capture_output=True).stdout)


def test_each_status_has_its_place():
    found = told("kLower kBasic kUpper kZero", "kBasic kUpper")
    assert found == [
        [BasisStatus.AT_LOWER, BasisStatus.BASIC, BasisStatus.AT_UPPER, BasisStatus.FREE],
        [BasisStatus.BASIC, BasisStatus.AT_UPPER],
    ]


@pytest.mark.parametrize(("variable", "row"), [("kNonbasic", "kBasic"), ("kLower", "kNonbasic")])
def test_a_status_at_an_unknown_bound_is_no_corner(variable, row):
    assert told(variable, row) is None


def test_what_highs_calls_no_basis_is_no_corner():
    assert told("kLower", "kBasic", is_valid=False) is None
