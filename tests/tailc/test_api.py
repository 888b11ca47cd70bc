"""The public names, and that they are what the documentation calls them."""

from pathlib import Path

import tailc


def test_every_public_name_is_there_and_listed():
    assert all(getattr(tailc, name) is not None for name in tailc.__all__)
    assert set(tailc.__all__) < set(dir(tailc))


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(tailc, "no_such_thing")


def test_the_page_of_the_api_names_every_public_name():
    page = (Path(tailc.__file__).parents[1] / "docs/python-api.md").read_text()
    table = [line for line in page.splitlines() if line.startswith("| `")]
    assert all(any(line.startswith(f"| `{name}") for line in table) for name in tailc.__all__)
