"""The two encodings say the same: decode . encode is the identity, and so is encode . decode."""

from __future__ import annotations

import hashlib
import json
from random import Random

import pytest
import rfc8785

from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import decode_json, encode_json
from tests.tailc.artifact.random_policies import random_policy


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(3, 100))]
)
def test_random_policies_decode_equal_from_both_and_encode_to_the_same_bytes(seed: int) -> None:
    rng = Random(seed)
    for number in range(100):
        policy = random_policy(rng)
        text, flat = encode_json(policy), encode_flat(policy)
        from_text, from_flat = decode_json(text), decode_flat(flat)
        assert from_text == from_flat == policy, f"seed {seed}, policy {number}"
        if number % 25 == 0:  # Decoding demands the same of every one, but with its own eyes.
            assert encode_json(from_flat) == text, f"seed {seed}, policy {number}"
            assert encode_flat(from_text) == flat, f"seed {seed}, policy {number}"


def test_both_encodings_carry_the_digest_of_the_json_without_it() -> None:
    policy = random_policy(Random(1))
    document = json.loads(encode_json(policy))
    digest = document.pop("policy_digest")
    assert digest == hashlib.sha256(rfc8785.dumps(document)).hexdigest()
    assert digest.encode() in encode_flat(policy)
