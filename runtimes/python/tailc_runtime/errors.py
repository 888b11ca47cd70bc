"""Why a policy was refused; `name` is the same in every language's runtime."""

# ruff: noqa: N818, a policy is refused for what it is: `HashMismatch` says it without a suffix.


class PolicyError(Exception):
    """The file is not a policy that this reader may act on."""

    name = "refused"


class Truncated(PolicyError):
    """The file has another length than it was sealed with."""

    name = "truncated"


class HashMismatch(PolicyError):
    """The bytes do not match their SHA-256, or the policy its digest."""

    name = "hash-mismatch"


class Unsigned(PolicyError):
    """Keys are trusted, and the file is not signed."""

    name = "unsigned"


class UnknownKey(PolicyError):
    """The file is signed with a key that is not trusted."""

    name = "unknown-key"


class BadSignature(PolicyError):
    """The signature is not one of the key that it names, or not of this file."""

    name = "bad-signature"


class Expired(PolicyError):
    """The signature is good no longer."""

    name = "expired"


class NoSignatures(PolicyError):
    """Keys are trusted, and nothing is installed that could check a signature."""

    name = "no-signatures"


class NotCanonical(PolicyError):
    """The JSON is not in its canonical form (RFC 8785)."""

    name = "not-canonical"


class BadStructure(PolicyError):
    """The bytes are whole, but not laid out as a policy is."""

    name = "bad-structure"


class BadMeaning(PolicyError):
    """The policy contradicts itself."""

    name = "bad-meaning"


class UnknownRule(PolicyError):
    """The policy needs a rule that is not known here."""

    name = "unknown-rule"


class UnknownForm(PolicyError):
    """The policy has a form that is not known here."""

    name = "unknown-form"


class UnknownSchema(PolicyError):
    """The policy has another major version of the schema."""

    name = "unknown-schema"


class UnknownClass(PolicyError):
    """The policy has no ladder for the class asked for."""

    name = "unknown-class"


class OtherForm(PolicyError):
    """The policy is fine, but has another form than the one asked for."""

    name = "other-form"


class OtherService(PolicyError):
    """The policy is for another service than the one asked for."""

    name = "other-service"


class OlderGeneration(PolicyError):
    """The policy is older than the one held."""

    name = "older-generation"
