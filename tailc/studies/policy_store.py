"""Compiled policies by the digest of their inputs, in a folder or in a bucket of an object store.

Equal inputs give equal policies, so several machines can share a store. Each object has a seal. A
damaged or incomplete object counts as absent, and the next compile replaces it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tailc.artifact.envelope import Policy
from tailc.artifact.files import FLAT_SUFFIX
from tailc.artifact.flat_form import decode_signed, encode_flat
from tailc.errors import Code, Finding, Place, TailcError
from tailc.pipeline.build_inputs import BuildInputs, record_bytes
from tailc.tasks.code import code_digest


class PolicyStore:
    """A store at a URL that fsspec can open, such as `s3://bucket/policies` or `file:///srv/p`.

    Raises TailcError if the URL is empty, if its library is missing, or if the store cannot be
    reached.
    """

    def __init__(self, url: str) -> None:
        # Messages must not contain a password.
        self._shown = re.sub(r"//[^/@]*@", "//", url)
        if not url:  # fsspec takes it for the working folder
            message = "the URL of the store is empty"
            hint = "give a folder or a bucket, such as file:///srv/policies"
            raise TailcError(Finding(Code.USAGE, message, help=hint))
        with _translated_errors(self._shown, Code.CANNOT_READ):
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(url)
            self._files.exists(self._root)

    def read(self, inputs: BuildInputs, *, allows_misses: bool) -> Policy | None:
        """The policy that was compiled from these inputs; None if the store has none."""
        path = self._path(inputs, allows_misses)
        with _translated_errors(self._shown, Code.CANNOT_READ):
            try:
                data = self._files.cat_file(path)
            except FileNotFoundError:
                return None
        try:
            return decode_signed(data, path)[0]
        except TailcError:
            return None

    def write(self, inputs: BuildInputs, policy: Policy, *, allows_misses: bool) -> None:
        """Add the policy of these inputs. Raises TailcError (cannot write)."""
        path = self._path(inputs, allows_misses)
        with _translated_errors(self._shown, Code.CANNOT_WRITE):
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, encode_flat(policy))

    def _path(self, inputs: BuildInputs, allows_misses: bool) -> str:
        """Path of the object for these inputs and the code of this process."""
        whole = f"{code_digest()} {allows_misses}\n".encode() + record_bytes(inputs, "")
        name = hashlib.sha256(whole).hexdigest()
        return f"{self._root}/{name[:2]}/{name}{FLAT_SUFFIX}"


@contextmanager
def _translated_errors(url: str, code: Code) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        message = f"the store `{url}` needs a library that is not installed: {error}"
        hint = "pip install 'tailc[fleet]', and the library for the URL, such as s3fs for s3://"
        raise TailcError(Finding(Code.MISSING_PART, message, Place(url), hint)) from error
    except Exception as error:  # libraries of stores raise errors of many classes
        verb = "written" if code is Code.CANNOT_WRITE else "read"
        message = f"the store `{url}` cannot be {verb}: {error or type(error).__name__}"
        hint = "check the URL, the network and the credentials"
        raise TailcError(Finding(code, message, Place(url), hint)) from error
