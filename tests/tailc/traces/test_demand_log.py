"""How the log of demands that a runtime writes is read."""

import pytest

from tailc.traces.demand_log import demands_of_log
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit, ValueMeaning


@pytest.mark.parametrize(
    ("design", "log"),
    [
        (Measure.DEMAND_CPU, Measure.DEMAND_CPU),
        (Measure.DEMAND_BUSY, Measure.DEMAND_BUSY),
        (Measure.RESPONSE_OPEN, Measure.DEMAND_BUSY),
    ],
)
def test_a_log_has_the_measure_of_the_design_unless_that_is_a_response_time(design, log):
    why = "one client sent slowly" if design is Measure.RESPONSE_OPEN else None
    reading = demands_of_log(ValueMeaning(design, "one thread", TimeUnit.MS, why))
    assert (reading.measured.measure, reading.measured.unit) == (log, TimeUnit.US)
