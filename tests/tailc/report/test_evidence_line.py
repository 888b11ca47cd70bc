from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.report.policy import evidence_line, policy_text

ROOT = Path(__file__).parents[3]


def test_the_cost_of_the_paper_s_search_is_told():
    # 440 / 5 = 88 steps, 4 intervals, 24 loads, 7,948 requests: 88^4 * 24 * 7948 = 1.14e13.
    line = evidence_line(read_policy(ROOT / "examples/lucene-fm/expected.tailc"))
    assert "the paper's search would look at 1.1e+13 requests" in line


@pytest.mark.parametrize("path", sorted((ROOT / "schemas/vectors/v1").glob("*.json")))
def test_every_policy_can_be_put_in_words(path):
    assert policy_text(read_policy(path)).count("\n") >= 4


def test_tables_by_class_name_their_class():
    text = policy_text(read_policy(ROOT / "schemas/vectors/v1/classes.tailc"))
    assert "\nclass short\n" in text
