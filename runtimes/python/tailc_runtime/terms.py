"""What is asked of a policy, beyond that it is whole, before it is acted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypedDict

from tailc_runtime.counters import Counters
from tailc_runtime.errors import OlderGeneration, OtherService, Unsigned
from tailc_runtime.raw import Head
from tailc_runtime.signature import Signature, check_signature, keys_in


class Opened(Protocol):
    """What every opened policy has."""

    generation: int
    counters: Counters


Held = int | Opened | Mapping[str | None, Opened]


class Asked(TypedDict, total=False):
    """What `open_policy` and the others take by name.

    trusted: PEM texts of Ed25519 public keys, one of which must have signed the policy. service:
    the name that the policy must have. held: the policy whose place it takes, which must not be
    newer and whose counters it goes on with, or the generation of that. now_s: the moment at which
    a signature may have expired, in Unix seconds; by default that of the system's clock.
    """

    trusted: str | Sequence[str]
    service: str | None
    held: Held | None
    now_s: int | None


class Terms:
    """The same, understood; ValueError for a key that is none."""

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

    def check_signature(self, signature: Signature | None) -> None:
        """A PolicyError unless one of the keys signed; without keys nothing is asked."""
        if self._keys:
            check_signature(signature, self._keys, self._now_s)

    def refuse_json(self) -> None:
        """Unsigned where a signature is asked, which JSON never has."""
        if self._keys:
            raise Unsigned("JSON is never signed: open the `.tailc` file of the policy")

    def check_head(self, head: Head) -> None:
        """A PolicyError unless service, then generation, are as asked."""
        if self._service is not None and head.name != self._service:
            raise OtherService(f"the policy is for `{head.name}`, not for `{self._service}`")
        held = self._held_generation
        if held is not None and head.generation < held:
            raise OlderGeneration(
                f"generation {head.generation} is older than {held}, the one held"
            )
