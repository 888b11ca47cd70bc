import pytest

from tailc.traces.serial import Serial


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ((-1, 0, 5, 0), "must not be negative"),
        ((1, 0, 0, -5), "must not be negative"),
        ((0, 0, 0, 0), "must have a beginning or an end"),
        ((0, 600_000, 0, 400_001), "must not be longer than the request"),
    ],
)
def test_serial_parts_are_parts(parts, complaint):
    with pytest.raises(ValueError, match=complaint):
        Serial(*parts)


def test_a_request_may_be_serial_from_one_end_to_the_other():
    assert Serial(0, 600_000, 0, 400_000).end_ppm == 400_000
