"""Which texts are slips of a core's name: speed 1 would silently be another core's."""

import pytest

from tailc.specs.cores_build import reference_complaints
from tailc.specs.cores_spec import CoresSpec

LISTED = {
    "dvfs": {
        "count": 4,
        "levels": [
            {"frequency": "1.7GHz", "power": "1.4W"},
            {"frequency": "3.4GHz", "power": "9.8W"},
        ],
    }
}
PUBLISHED = {
    "power_from": "micro-2017-amp",
    "types": [{"speed": 1, "count": 5}, {"speed": 2, "count": 2}],
}


@pytest.mark.parametrize("text", ["slow", "fast", "medium+", "one thread", "a Xeon", "aslow"])
def test_a_name_of_a_core_and_any_other_text_are_taken(text):
    assert reference_complaints(CoresSpec.model_validate(PUBLISHED), text) == []


@pytest.mark.parametrize(
    ("cores", "text", "meant"),
    [
        (PUBLISHED, "slwo", "slow"),
        (PUBLISHED, "Fast", "fast"),
        (PUBLISHED, "medium++", "medium+"),
        (LISTED, "3.4GHz", "3.4 GHz"),
        (LISTED, "1.8 GHz", "1.7 GHz"),
    ],
)
def test_all_but_the_name_of_a_core_is_a_slip(cores, text, meant):
    (complaint,) = reference_complaints(CoresSpec.model_validate(cores), text)
    assert complaint.at == ("demand", "reference")
    assert complaint.message == f"is `{text}`, but no core has this name"
    assert complaint.help.startswith(f"did you mean `{meant}`? Known: ")
