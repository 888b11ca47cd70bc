"""Read policies from web servers and OCI registries; each name has the SHA-256 of what it names.

`https://HOST/PATH@sha256:DIGEST` is a file, and DIGEST that of its bytes.
`oci://HOST/NAME@sha256:DIGEST` is an artifact with one file, and DIGEST that of its manifest, as
`oras push` prints it. Content with another digest is refused, so a server cannot change a policy.
Source: OCI distribution specification 1.1, "Pulling".
"""

from __future__ import annotations

import hashlib
import json
import re
from string import punctuation
from typing import TYPE_CHECKING, Any

from tailc.artifact.refusal import Refusal
from tailc.errors import Code, TailcError

if TYPE_CHECKING:
    from urllib.error import HTTPError

_NAME = re.compile(r"(https|oci)://([^/@\s]+)/([^@\s]+)@sha256:([0-9a-f]{64})")
_CHALLENGE = re.compile(r'(realm|service|scope)="([^"]*)"')
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_MOST_MANIFEST_BYTES = 1 << 22
_TIMEOUT_S = 60
_HINT = "write `https://HOST/PATH@sha256:DIGEST` or `oci://HOST/NAME@sha256:DIGEST`"


def web_content(name: str, most_bytes: int) -> bytes:
    """Read the file that the name states; raise TailcError (cannot read, integrity) if it is not.

    A file with more than `most_bytes` bytes is refused.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise _refused(name, "it has no host, path and SHA-256", _HINT)
    scheme, host, path, digest = match.groups()
    if scheme == "https":
        from urllib.parse import quote

        url = f"https://{host}/{quote(path, safe=punctuation)}"
        return _checked(name, _answer(name, url, {}, most_bytes), digest)
    base = f"https://{host}/v2/{path}"
    url, headers = f"{base}/manifests/sha256:{digest}", {"Accept": _MANIFEST}
    manifest = _checked(name, _answer(name, url, headers, _MOST_MANIFEST_BYTES), digest)
    blob = _layer_digest(name, manifest)
    content = _answer(name, f"{base}/blobs/sha256:{blob}", {}, most_bytes)
    return _checked(name, content, blob)


def _checked(name: str, content: bytes, digest: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        message = f"`{name}` has other bytes, whose SHA-256 is `{found}`"
        hint = "do not use it unless you know why it changed; then write its SHA-256"
        raise TailcError(Refusal(Code.HASH_MISMATCH, message, hint).finding(name))
    return content


def _layer_digest(name: str, manifest: bytes) -> str:
    """Digest of the only layer of an artifact."""
    try:
        layers = json.loads(manifest)["layers"]
        digests = [str(one["digest"]) for one in layers]
    except (ValueError, KeyError, TypeError, RecursionError):
        digests = []
    match = re.fullmatch(r"sha256:([0-9a-f]{64})", digests[0]) if len(digests) == 1 else None
    if match is None:
        raise _refused(name, "it is no artifact with one file", "push the `.tailc` file alone")
    return match[1]


def _answer(
    name: str, url: str, headers: dict[str, str], most_bytes: int, *, takes_token: bool = True
) -> bytes:
    """Body of the answer to a request; after a refusal, the request is sent with a token."""
    from http.client import HTTPException
    from urllib.error import HTTPError

    try:
        return _body(name, url, headers, most_bytes)
    except HTTPError as error:
        error.close()
        if error.code != 401 or not takes_token:
            raise _refused(name, f"the server answered {error.code} {error.reason}") from error
        headers = headers | {"Authorization": f"Bearer {_token(name, error)}"}
        return _answer(name, url, headers, most_bytes, takes_token=False)
    except (OSError, ValueError, HTTPException) as error:
        cause = getattr(error, "reason", error)
        reason = str(getattr(cause, "strerror", None) or cause).lower()
        raise _refused(name, f"the server gives no answer that can be read: {reason}") from error


def _body(name: str, url: str, headers: dict[str, str], most_bytes: int) -> bytes:
    from urllib.request import Request, build_opener

    with build_opener(_encrypted_only()).open(
        Request(url, headers=headers), timeout=_TIMEOUT_S
    ) as got:
        body: bytes = got.read(most_bytes + 1)
    if len(body) > most_bytes:
        raise _refused(name, f"it is larger than {most_bytes // 2**20} MiB, the limit")
    return body


def _encrypted_only() -> Any:
    """Handler that refuses redirects without encryption, and sends no token to another host."""
    from urllib.error import URLError
    from urllib.request import HTTPRedirectHandler

    class EncryptedRedirects(HTTPRedirectHandler):
        def redirect_request(
            self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
        ) -> Any:
            request = super().redirect_request(req, fp, code, msg, headers, newurl)
            if request is not None and request.type != "https":
                fp.close()
                raise URLError("it redirects to an address without encryption")
            if request is not None and request.host != req.host:
                request.remove_header("Authorization")
            return request

    return EncryptedRedirects()


def _token(name: str, error: HTTPError) -> str:
    """Token that the registry gives without a password."""
    from urllib.parse import urlencode

    challenge = dict(_CHALLENGE.findall(error.headers.get("WWW-Authenticate") or ""))
    realm = challenge.pop("realm", "")
    if not realm.startswith("https://"):
        hint = "download the file with a tool that has your password, such as `oras pull`"
        raise _refused(name, "the server requires a password", hint)
    url = f"{realm}?{urlencode(challenge)}"
    body = _answer(name, url, {}, _MOST_MANIFEST_BYTES, takes_token=False)
    try:
        answer = json.loads(body)
        return str(answer.get("token") or answer["access_token"])
    except (ValueError, KeyError, AttributeError, RecursionError):
        raise _refused(name, "the registry gave no token") from None


def _refused(name: str, reason: str, hint: str = "check the address, and try again") -> TailcError:
    message = f"`{name}` cannot be read: {reason}"
    return TailcError(Refusal(Code.CANNOT_READ, message, hint).finding(name))
