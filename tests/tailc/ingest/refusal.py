"""Options of an ingest by their names on the command line, and how an input is refused."""

from tailc.errors import Finding, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions, MetricOptions, SpanOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure

OPEN = StatedMeasure(Measure.RESPONSE_OPEN)


def options(
    unit=None,
    table=None,
    attribute=None,
    with_internal=False,
    services=(),
    metric=None,
    tags=(),
    **of_metric,
) -> InputOptions:
    """Those given."""
    spans = SpanOptions(attribute, with_internal, services)
    return InputOptions(unit, table, spans, MetricOptions(metric, **of_metric), tags)


def refused(path, stated: StatedMeasure = OPEN, **given) -> Finding:
    """The first finding, which has help; AssertionError where the input is read."""
    try:
        ingest([str(path)], options(**given), stated)
    except TailcError as error:
        found = error.findings[0]
        assert found.help
        return found
    raise AssertionError(f"{path} is read")
