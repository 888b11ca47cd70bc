"""A good spec as text, and ways to break it."""

from pathlib import Path

import pytest

from tailc.errors import Finding, TailcError
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.specs.document import parse_document
from tailc.specs.load import check_document
from tailc.specs.tree import Document
from tests.tailc import texts

MODELS = {"few-to-many": FewToManySpec}

GOOD = """\
# The search tier.
apiVersion: tailc/v1
kind: few-to-many
name: websearch-isn
slo: [{percentile: 99%, latency: 500ms}]
demand:
  trace: traces/design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: 1 thread of a Xeon 8488C at 2.4 GHz
speedup: [1, 1.9, 2.65, 3.2]
server: {cores: 15, target_parallelism: 24, quantum: 5ms}
rates: [30/s, 40/s, 44/s]
"""


def swapped(*changes: tuple[str, str]) -> str:
    """The good spec with every first text replaced by the second."""
    return texts.swapped(GOOD, *changes)


def document(text: str) -> Document:
    return parse_document(text, "service.yaml")


def checked(text: str) -> FewToManySpec:
    model = check_document(document(text), MODELS).model
    assert isinstance(model, FewToManySpec)
    return model


def findings_of(text: str) -> tuple[Finding, ...]:
    """What is wrong with the text; each finding says how to mend it. Fails if nothing is wrong."""
    with pytest.raises(TailcError) as caught:
        checked(text)
    assert all(finding.help for finding in caught.value.findings)
    return caught.value.findings


def written_to(folder: Path, content: bytes | str) -> str:
    path = folder / "service.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)
