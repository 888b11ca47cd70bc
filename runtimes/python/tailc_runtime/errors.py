"""Reasons why a policy is refused; `name` is the same in the runtimes of all languages."""

# ruff: noqa: N818, a policy is refused for what it is: `HashMismatch` says it without a suffix.


class PolicyError(Exception):
    """The file is not a policy that this reader may use."""

    name = "refused"


class Truncated(PolicyError):
    """The length of the file differs from the length in its seal."""

    name = "truncated"


class HashMismatch(PolicyError):
    """The bytes do not match their SHA-256, or the policy does not match its digest."""

    name = "hash-mismatch"


class Unsigned(PolicyError):
    """Only signed policies are trusted, and the file is not signed."""

    name = "unsigned"


class UnknownKey(PolicyError):
    """The file is signed with a key that is not trusted."""

    name = "unknown-key"


class BadSignature(PolicyError):
    """The signature does not match the key that it names, or the file."""

    name = "bad-signature"


class Expired(PolicyError):
    """The signature has expired."""

    name = "expired"


class NoSignatures(PolicyError):
    """Only signed policies are trusted, and no library to check signatures is installed."""

    name = "no-signatures"


class NotCanonical(PolicyError):
    """The JSON is not in its canonical form (RFC 8785)."""

    name = "not-canonical"


class BadStructure(PolicyError):
    """The bytes are complete, but not in the layout of a policy."""

    name = "bad-structure"


class BadMeaning(PolicyError):
    """The content of the policy is inconsistent."""

    name = "bad-meaning"


class UnknownRule(PolicyError):
    """The policy needs a rule that this reader does not know."""

    name = "unknown-rule"


class UnknownForm(PolicyError):
    """The policy has a form that this reader does not know."""

    name = "unknown-form"


class UnknownSchema(PolicyError):
    """The policy has another major version of the schema."""

    name = "unknown-schema"


class UnknownClass(PolicyError):
    """The policy has no ladder for the requested class."""

    name = "unknown-class"


class OtherForm(PolicyError):
    """The policy is valid, but has another form than the requested one."""

    name = "other-form"


class OtherService(PolicyError):
    """The policy is for another service than the requested one."""

    name = "other-service"


class OlderGeneration(PolicyError):
    """The policy is older than the one in use."""

    name = "older-generation"
