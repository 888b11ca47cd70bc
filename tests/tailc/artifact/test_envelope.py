from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import next_generation
from tests.tailc.artifact.published import lucene_policy


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
