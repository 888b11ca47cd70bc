"""Recognise labels of a Prometheus series that state whether its requests failed.

An HTTP status is in a label `code`, `status_code` or `response_code`, as a number or `5xx`; gRPC
has a name or a number, 0 for success; Micrometer has an `outcome`, Linkerd a `classification`,
OpenTelemetry an `error_type` if there was an error.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_STATUS = re.compile(
    r"(?:(?:https?|response|resp|return|server|upstream|envoy|api|rpc|grpc|request|final) )*"
    r"(?:status|code|statuscode|status code|response|outcome|result|classification)"
    r"(?: (?:code|class|family|group|text))*"
)
_ERROR = re.compile(
    r"(?:(?:https?|rpc|grpc|is|has|was|request) )*(?:error|exception|failed|failure)"
    r"(?: (?:type|code|kind|class))?"
)
_SUCCESS = re.compile(r"(?:is |was )?(?:success|succeeded|successful)")
_FAILED_CODE = re.compile(r"[45](?:[0-9][0-9]|xx)(?![0-9])", re.IGNORECASE)
_FAILED_CLASS = re.compile(r"[45]")
# The codes of gRPC beyond OK, and words of outcomes, in small letters without signs.
_FAILURES = frozenset(
    {"canceled", "cancelled", "unknown", "invalidargument", "deadlineexceeded", "notfound"}
    | {"alreadyexists", "permissiondenied", "resourceexhausted", "failedprecondition", "aborted"}
    | {"outofrange", "unimplemented", "internal", "unavailable", "dataloss", "unauthenticated"}
    | {"error", "err", "errored", "fail", "failed", "failure", "exception", "timeout", "timedout"}
    | {"rejected", "servererror", "clienterror"}
)
_NO = frozenset({"", "0", "false", "no", "none", "null", "ok", "success"})


def is_status_label(name: str) -> bool:
    """Whether a label with this name states the status of requests, such as `code`."""
    words = _words(name)
    return any(each.fullmatch(words) for each in (_STATUS, _ERROR, _SUCCESS))


def is_failed(name: str, value: str) -> bool:
    """Whether the value of a label says that the requests of its series failed."""
    words, plain = _words(name), re.sub("[^a-z0-9]", "", value.lower())
    if _ERROR.fullmatch(words):
        return plain not in _NO
    if _SUCCESS.fullmatch(words):
        return plain in _NO - {"ok", "success"}
    if not _STATUS.fullmatch(words):
        return False
    if words.endswith(("class", "family", "group")) and _FAILED_CLASS.fullmatch(value):
        return True
    if "rpc" in words and plain.isdecimal() and not _FAILED_CODE.match(value):
        return len(plain) < len("200") and int(plain) != 0
    return _FAILED_CODE.match(value) is not None or plain in _FAILURES


def _words(name: str) -> str:
    return " ".join(word.lower() for word in _WORD.findall(name))
