"""The public names, and that they are what the documentation calls them."""

import tailc


def test_every_public_name_is_there_and_listed():
    assert all(getattr(tailc, name) is not None for name in tailc.__all__)
    assert set(tailc.__all__) < set(dir(tailc))


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(tailc, "no_such_thing")
