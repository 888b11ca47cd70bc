"""Shares of a host in words."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.shares import ShareCap
from tailc.report.policy import policy_text
from tailc.report.shares import shares_text
from tests.tailc.artifact.published import shares_policy

SHARES = shares_policy().shares
assert SHARES


def test_a_host_its_times_its_law_and_its_machines_are_told() -> None:
    assert shares_text(SHARES).splitlines() == [
        "host        up to 100 %, at least 2 % for each machine with a target",
        "measures    the mean of 750 ms, within 5 % of the targets",
        "estimates   every 50 ms, forgetting 0.98, covariance 1000 at first, "
        "b above 5 % of the target",
        "shares      every 750 ms by pole-placement, pole 0.1, enforced every 50 ms",
        "shortage    after 4 steps below a target",
        "caps        none",
        "",
        "machine    target  a at first  b at first",
        "encoder      30/s         0.4        90/s",
        "index      12.5/s        -0.1        55/s",
        "nightly  the rest",
    ]


def test_caps_are_told() -> None:
    shares = replace(SHARES, cap=ShareCap(6, 20, 1_000_000))
    assert shares_text(shares).splitlines()[5] == (
        "caps        by tests of 6 steps, headroom 100 %, tested again after 20 steps"
    )


def test_names_of_machines_cannot_forge_lines() -> None:
    forged = replace(SHARES.machines[0], name="x\nwrote build/x.tailc\x1b[1A")
    text = shares_text(replace(SHARES, machines=(forged, *SHARES.machines[1:])))
    assert len(text.splitlines()) == len(shares_text(SHARES).splitlines())
    assert "\x1b" not in text


def test_a_policy_without_objectives_promises_nothing_but_its_shares() -> None:
    text = policy_text(replace(shares_policy(), slos=()))
    assert "SLO" not in text
    assert text.endswith(shares_text(SHARES))
