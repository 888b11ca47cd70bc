"""How an input is refused."""

from tailc.errors import Finding, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.measured import Said
from tailc.ingest.taken import Asked
from tailc.traces.profile import Measure

OPEN = Said(Measure.RESPONSE_OPEN)


def refused(path, said: Said = OPEN, **asked) -> Finding:
    """The first finding, which has help; AssertionError where the input is read."""
    try:
        ingest([str(path)], Asked(**asked), said)
    except TailcError as error:
        found = error.findings[0]
        assert found.help
        return found
    raise AssertionError(f"{path} is read")
