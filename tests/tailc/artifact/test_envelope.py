from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from tailc.artifact.envelope import next_generation
from tailc.forms.controller import LARGEST_AGE_US
from tailc.forms.ladder.table import Climb
from tests.tailc.artifact.published import (
    controlled_policy,
    lucene_policy,
    plan_policy,
    shares_policy,
    tail_policy,
)

trimmed, shared, planned = tail_policy(), shares_policy(), plan_policy()


def test_without_a_previous_policy_the_generation_is_one() -> None:
    assert next_generation(replace(lucene_policy(), generation=9), None).generation == 1


def test_an_unchanged_policy_keeps_its_generation_whatever_its_evidence() -> None:
    policy = lucene_policy()
    evidence = replace(policy.evidence, solver="another", evaluations=7)
    again = replace(policy, evidence=evidence, inputs=())
    assert next_generation(again, replace(policy, generation=4)).generation == 4


def test_a_changed_policy_gets_the_next_generation() -> None:
    policy = lucene_policy()
    changed = replace(policy, forms=(replace(policy.forms[0], quantum_us=4_000),))
    assert next_generation(changed, replace(policy, generation=4)).generation == 5


def test_a_policy_knows_its_ladders_and_its_controller() -> None:
    policy = controlled_policy()
    assert policy.forms == (*policy.ladders, policy.controller)
    assert [ladder.request_class for ladder in policy.ladders] == [None, "short"]
    assert replace(policy, forms=policy.ladders).controller is None


def test_one_controller_at_most_comes_after_the_ladders() -> None:
    policy = controlled_policy()
    one, other, controller = policy.forms
    for forms, complaint in (
        ((one, controller, controller), "`forms` must have at most one controller"),
        ((controller, one, other), "must be the last form"),
        ((one, controller, other), "must be the last form"),
        ((controller,), "must have exactly one of ladders, a tail table, shares, a plan and a"),
        ((), "`forms` must not be empty"),
    ):
        with pytest.raises(ValueError, match=complaint):
            replace(policy, forms=forms)


def test_a_controller_scales_no_age_whose_product_with_an_output_leaves_64_bits() -> None:
    policy = controlled_policy()
    for age_us, is_fine in ((LARGEST_AGE_US, True), (LARGEST_AGE_US + 1, False)):
        row = replace(policy.ladders[0].rows[1], climbs=(Climb(0, 0), Climb(age_us, 2)))
        ladder = replace(policy.ladders[0], rows=(policy.ladders[0].rows[0], row))
        with (
            nullcontext()
            if is_fine
            else pytest.raises(ValueError, match="`age_us` of a climb must be at most 2")
        ):
            replace(policy, forms=(ladder, policy.controller))
        replace(policy, forms=(ladder,))
    assert LARGEST_AGE_US * 1_000_000 < 2**63 < 2 * LARGEST_AGE_US * 1_000_000


def test_what_a_server_does_is_said_by_forms_of_one_kind() -> None:
    ladder, table, shares = lucene_policy().forms[0], trimmed.tail_table, shared.shares
    assert table
    assert shares
    one_of_these = "`forms` must have exactly one of ladders, a tail table, shares, a plan and a"
    for forms, complaint in (
        ((ladder, table), one_of_these),
        ((table, shares), one_of_these),
        ((shares, ladder), one_of_these),
        ((table, table), "one tail table"),
        ((shares, shares), "one form of shares"),
        ((planned.plan, ladder), one_of_these),
        ((shares, planned.plan), one_of_these),
        ((planned.plan, planned.plan), "one plan, or one budget table"),
        ((table, table, trimmed.controller), "one tail table"),
    ):
        with pytest.raises(ValueError, match=complaint):
            replace(trimmed, forms=forms)


def test_a_policy_knows_its_tail_table_and_its_shares() -> None:
    assert trimmed.forms == (trimmed.tail_table, trimmed.controller)
    assert (trimmed.ladders, trimmed.shares) == ((), None)
    assert shared.forms == (shared.shares,)
    assert (shared.ladders, shared.tail_table, shared.controller) == ((), None, None)
    assert (lucene_policy().tail_table, lucene_policy().shares) == (None, None)


def test_a_policy_knows_its_plan() -> None:
    assert planned.forms == (planned.plan,)
    assert (planned.ladders, planned.tail_table, planned.shares) == ((), None, None)
    assert planned.controller is shared.plan is lucene_policy().plan is None


def test_a_controller_acts_on_what_its_policy_has() -> None:
    of_ages, of_bounds = controlled_policy().controller, trimmed.controller
    for forms in (
        (trimmed.tail_table, of_ages),
        (*controlled_policy().ladders, of_bounds),
        (shared.shares, of_ages),
        (shared.shares, of_bounds),
        (planned.plan, of_ages),
    ):
        with pytest.raises(
            ValueError,
            match="`acts_on` must be `climb-ages` with ladders and `latency-bound`",
        ):
            replace(trimmed, forms=forms)
    replace(trimmed, forms=trimmed.forms)


def test_only_a_bound_is_scaled_up_and_to_twice_at_most() -> None:
    of_ages, of_bounds = controlled_policy().controller, trimmed.controller
    assert of_ages
    assert of_bounds
    assert replace(of_bounds, most_ppm=2_000_000).most_ppm == 2_000_000
    for controller, most_ppm in ((of_ages, 1_000_000), (of_bounds, 2_000_000)):
        with pytest.raises(ValueError, match=f"`most_ppm` <= {most_ppm:,} must hold$"):
            replace(controller, most_ppm=most_ppm + 1)


def test_other_gains_are_another_policy() -> None:
    policy = controlled_policy()
    assert policy.controller is not None
    slower = replace(policy.controller, epoch_requests=501)
    changed = replace(policy, forms=(*policy.ladders, slower))
    assert next_generation(changed, replace(policy, generation=4)).generation == 5
