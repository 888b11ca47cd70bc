"""Which execution model a policy's forms are for, and which ladder each record climbs there."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.forms.controller import PPM, Actuator, Controller, GainRow
from tailc.forms.ladder.lanes import Lanes, Waking, lane_ladder, plan_at_any_load
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_types.model import CoreTypes
from tailc.models.shared_cores.model import SharedCores
from tailc.models.smt.model import Smt
from tailc.models.subjects import on_ladders, subject_of
from tests.tailc.models.core_queues.servers import GHZ, tail_table
from tests.tailc.models.core_types.servers import cores, row
from tests.tailc.verify.policies import EVIDENCE, climbing, held_out, policy

THREADS = climbing()
CORES = cores([2, 1], row((0, 0), (40, 1)))
LANES = lane_ladder(Lanes(2, 200_000, 400_000), plan_at_any_load(1_000, 2))
STILL = Controller(
    Actuator.CLIMB_AGES, 990_000, 80_000, 100, 200, PPM, 0, PPM, 32, (GainRow(0, 0, 0, 0),)
)


def of_forms(*forms, **changes):
    return dataclasses.replace(policy(), forms=forms, **changes)


@pytest.mark.parametrize(
    ("form", "model"), [(THREADS, SharedCores), (CORES, CoreTypes), (LANES, Smt)]
)
def test_a_ladder_is_for_the_model_that_its_rules_and_units_say(form, model):
    assert type(on_ladders("x", (form,))) is model
    assert type(subject_of(of_forms(form), held_out(4))) is model


def test_a_tail_table_is_for_cores_with_a_queue_each_at_the_clock_of_its_demands():
    law = dataclasses.replace(STILL, acts_on=Actuator.LATENCY_BOUND)
    subject = subject_of(of_forms(tail_table((0, 0)), law), held_out(4))
    assert isinstance(subject, CoreQueues)
    assert subject.clocks == Clocks(tail_table((0, 0)), GHZ)
    assert subject.steering == law


def test_a_controller_steers_cores():
    subject = subject_of(of_forms(CORES, STILL), held_out(4))
    assert isinstance(subject, CoreTypes)
    assert subject.steering == STILL


def test_lanes_wake_up_as_the_evidence_says():
    told = dataclasses.replace(EVIDENCE, settings=(("wake_ns", 719), ("core_wake_ns", 30_000)))
    subject = subject_of(of_forms(LANES, evidence=told), held_out(4))
    assert isinstance(subject, Smt)
    assert subject.waking == Waking(batch_ns=719, core_ns=30_000)


def test_each_record_climbs_the_ladder_of_its_class():
    trace = held_out(4)
    classed = dataclasses.replace(
        trace,
        curves=np.repeat(trace.curves, 2, axis=0),
        curve_of=np.array([0, 1, 1, 0], np.int32),
        curve_names=("tin", "gold"),
    )
    general, gold = THREADS, dataclasses.replace(THREADS, request_class="gold")
    subject = subject_of(of_forms(general, gold), classed)
    assert subject.ladder_of.tolist() == [0, 1, 1, 0]
    assert subject.ladder_of_each(np.array([1, 0, 1])).tolist() == [1, 0, 1]
    assert subject_of(of_forms(general), classed).ladder_of is None
    with pytest.raises(LookupError):
        subject_of(of_forms(gold), classed)
