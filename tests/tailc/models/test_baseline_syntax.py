"""The grammar of baselines' names: what is read of each part, and what is refused."""

import pytest

from tailc.models.baseline_syntax import Placeholder, Syntax
from tailc.units import QuantityError

FIX = Syntax("fix-N[<LOAD][+boost]")
RC = Syntax("rc[>TIME]")


@pytest.mark.parametrize(
    ("syntax", "name", "values", "has_flag"),
    [
        (Syntax("one-gain"), "one-gain", {}, False),
        (FIX, "fix-3", {Placeholder.NUMBER: 3}, False),
        (FIX, "fix-3<30", {Placeholder.NUMBER: 3, Placeholder.LOAD: 30}, False),
        (FIX, " FIX-3<30+Boost ", {Placeholder.NUMBER: 3, Placeholder.LOAD: 30}, True),
        (RC, "rc", {}, False),
        (RC, "rc>1.5s", {Placeholder.TIME: 1_500_000}, False),
        (Syntax("every-TIME"), "every-100ms", {Placeholder.TIME: 100_000}, False),
        (Syntax("s2f[-SHARE]"), "s2f-12.5%", {Placeholder.SHARE: 125_000}, False),
        (Syntax("safe[-BUDGET]"), "safe-0ms", {Placeholder.BUDGET: 0}, False),
        (Syntax("fixed[-FREQUENCY]"), "fixed-2.4ghz", {Placeholder.FREQUENCY: 2_400_000}, False),
        (Syntax("fixed[-FREQUENCY]"), "fixed-800 MHz", {Placeholder.FREQUENCY: 800_000}, False),
    ],
)
def test_a_name_gives_what_stands_in_it(syntax, name, values, has_flag):
    given = syntax.read(name)
    assert given is not None
    assert (given.by_part, given.has_flag) == (values, has_flag)


@pytest.mark.parametrize(
    "name", ["fix", "fix-", "fix-x", "fix-12345", "fix-3<", "fix-3>30", "fix-3+start", "fix-3 <3"]
)
def test_what_is_written_otherwise_is_no_name_of_it(name):
    assert FIX.read(name) is None


@pytest.mark.parametrize(
    ("syntax", "name", "why"),
    [
        (RC, "rc>5", "`5` has no unit"),
        (RC, "rc>0ms", "`0ms` must be above 0"),
        (FIX, "fix-3<0", "no load is below 0"),
        (Syntax("s2f[-SHARE]"), "s2f-5ms", "`ms` in `5ms` is not a unit of a percentage"),
        (Syntax("fixed[-FREQUENCY]"), "fixed-2.4", "`2.4` has no unit"),
        (Syntax("fixed[-FREQUENCY]"), "fixed-2ms", "`ms` in `2ms` is not a unit of a frequency"),
    ],
)
def test_a_value_that_cannot_be_is_refused(syntax, name, why):
    with pytest.raises(QuantityError, match=why):
        syntax.read(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [("hw-t", "hw-t"), ("fix-N[<LOAD]", "fix"), ("s2f[-SHARE]", "s2f"), ("rc[>TIME]", "rc")],
)
def test_the_name_is_what_stands_before_the_parameter(text, name):
    assert Syntax(text).name == name


def test_a_syntax_has_only_parts_that_there_are():
    with pytest.raises(ValueError, match="SPEED"):
        Syntax("run[-SPEED]")
