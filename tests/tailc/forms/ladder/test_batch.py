from pathlib import Path

import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.forms.ladder.batch import STARTS, BatchLookup
from tailc.forms.ladder.lookup import LookupAnswer, lookup

VECTORS = Path(__file__).parents[4] / "schemas/vectors/v1"
POLICIES = sorted(path for path in VECTORS.glob("*.tailc"))


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_a_batch_answers_as_one_look_up_after_another(path):
    drawn = np.random.default_rng(11)
    for form in read_policy(path).ladders:
        most = 2 * form.rows[-1].first_load + 2
        load = drawn.integers(0, most, 500)
        times_us = [climb.age_us for row in form.rows for climb in row.climbs]
        times_us += [row.admission.delay_us for row in form.rows]
        # Half of the times are at the edges of the table or beside them.
        edges = drawn.choice(times_us, (2, 500)) + drawn.integers(-1, 2, (2, 500))
        anywhere = drawn.integers(0, 2 * max(times_us) + 2, (2, 500))
        waited, executed = np.where(drawn.random((2, 500)) < 0.5, np.maximum(edges, 0), anywhere)
        found = BatchLookup(form)(load, waited, executed)
        answers = zip(found.start, found.wait_us.tolist(), found.rung.tolist(), strict=True)
        got = [LookupAnswer(STARTS[start], wait, rung) for start, wait, rung in answers]
        queries = zip(load.tolist(), waited.tolist(), executed.tolist(), strict=True)
        assert got == [lookup(form, *query) for query in queries]


def test_a_negative_argument_is_refused():
    batch = BatchLookup(read_policy(POLICIES[0]).forms[0])
    one, less = np.array([1]), np.array([-1])
    with pytest.raises(ValueError, match="negative"):
        batch(one, less, one)


def test_no_queries_have_no_answers():
    none = np.array([], dtype=np.int64)
    assert len(BatchLookup(read_policy(POLICIES[0]).forms[0])(none, none, none).rung) == 0
