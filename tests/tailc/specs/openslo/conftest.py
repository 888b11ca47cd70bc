"""A document that is read after some changes."""

import pytest

from tailc.specs.openslo.read import read_openslo
from tests.tailc.texts import swapped


@pytest.fixture
def read(tmp_path):
    """What is read of a text, each (old, new) replaced."""

    def of(text, *changes, unit=None):
        path = tmp_path / "slo.yaml"
        path.write_text(swapped(text, *changes))
        return read_openslo(str(path), unit)

    return of
