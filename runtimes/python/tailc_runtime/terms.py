"""Requirements on a policy, in addition to being valid, before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypedDict

from tailc_runtime.counters import Counters
from tailc_runtime.errors import OlderGeneration, OtherService, Unsigned
from tailc_runtime.raw import Head
from tailc_runtime.signature import Signature, check_signature, keys_in


class Opened(Protocol):
    """Attributes of every opened policy."""

    generation: int
    counters: Counters


Held = int | Opened | Mapping[str | None, Opened]


class Asked(TypedDict, total=False):
    """Keyword arguments of `open_policy` and the other functions.

    trusted: PEM texts of Ed25519 public keys, one of which must have signed the policy. service:
    required name of the policy. held: the policy that is replaced, or its generation; the new one
    must not be older, and continues its counters. now_s: time at which the signature must be valid,
    in Unix seconds; by default that of the system clock.
    """

    trusted: str | Sequence[str]
    service: str | None
    held: Held | None
    now_s: int | None


class Terms:
    """The parsed requirements; raises ValueError for a malformed key."""

    def __init__(
        self,
        trusted: str | Sequence[str] = (),
        service: str | None = None,
        held: Held | None = None,
        now_s: int | None = None,
    ) -> None:
        self._keys = keys_in((trusted,) if isinstance(trusted, str) else tuple(trusted))
        self._service = service
        self._now_s = now_s
        if held is None or isinstance(held, int):
            self._held_generation, self.counters = held, Counters()
        else:
            opened = next(iter(held.values())) if isinstance(held, Mapping) else held
            self._held_generation, self.counters = opened.generation, opened.counters

    def check_signature(self, signature: Signature | None) -> int | None:
        """The Unix second at which the checked signature expires; None if it never does.

        Raises a PolicyError unless one of the keys signed; without keys nothing is required.
        """
        if not self._keys:
            return None
        check_signature(signature, self._keys, self._now_s)
        return signature.expires_s or None if signature else None

    def refuse_json(self) -> None:
        """Raise Unsigned if a signature is required, which JSON cannot have."""
        if self._keys:
            raise Unsigned("JSON is never signed: open the `.tailc` file of the policy")

    def check_head(self, head: Head) -> None:
        """Raise a PolicyError unless service, then generation, meet the requirements."""
        if self._service is not None and head.name != self._service:
            raise OtherService(f"the policy is for `{head.name}`, not for `{self._service}`")
        held = self._held_generation
        if held is not None and head.generation < held:
            raise OlderGeneration(
                f"generation {head.generation} is older than generation {held}, which is in use"
            )
