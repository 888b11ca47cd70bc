"""Policies of web servers and registries, from a server that has a certificate of its own."""

from __future__ import annotations

import datetime
import hashlib
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tailc.artifact.files import read_policy
from tailc.errors import Code, TailcError
from tests.tailc.artifact.published import VECTORS

POLICY = (VECTORS / "smallest.tailc").read_bytes()


def digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


MANIFEST = json.dumps({"layers": [{"digest": digest(POLICY)}]}).encode()
NUMBER = json.dumps({"layers": [{"digest": 5}]}).encode()
TWO_LAYERS = json.dumps({"layers": [{"digest": digest(POLICY)}] * 2}).encode()
REGISTRY = "/v2/team/search"
CONTENTS = {
    "/search.tailc": POLICY,
    "/%C3%A9.tailc": POLICY,
    f"{REGISTRY}/manifests/{digest(MANIFEST)}": MANIFEST,
    f"{REGISTRY}/manifests/{digest(TWO_LAYERS)}": TWO_LAYERS,
    f"{REGISTRY}/manifests/{digest(NUMBER)}": NUMBER,
    f"{REGISTRY}/blobs/{digest(POLICY)}": POLICY,
    "/token?service=here&scope=pull": b'{"token": "t0k"}',
}


class Answers(BaseHTTPRequestHandler):
    """Files for everyone, and an artifact for those with the token."""

    def do_GET(self):
        if self.path == "/moved":
            return self.answer(302, b"", Location=f"http://{self.headers['Host']}/search.tailc")
        if self.path == "/cut":
            return self.answer(200, b"5\r\nab", **{"Transfer-Encoding": "chunked"})
        if self.path.startswith("/v2/") and self.headers["Authorization"] != "Bearer t0k":
            realm = f'Bearer realm="https://{self.headers["Host"]}/token"'
            scope = f'{realm},service="here",scope="pull"'
            return self.answer(401, b"", **{"WWW-Authenticate": scope})
        if self.path.startswith("/token") and "Authorization" in self.headers:
            return self.answer(400, b"")
        content = CONTENTS.get(self.path)
        return self.answer(200 if content else 404, content or b"")

    def answer(self, code, content, **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """A server that ignores clients who end the connection."""

    def handle_error(self, *_):
        pass


def certificate() -> bytes:
    """A key and its certificate for 127.0.0.1, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return pem + made.public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    path = tmp_path_factory.mktemp("server") / "server.pem"
    path.write_bytes(certificate())
    return path


@pytest.fixture(scope="module")
def host(pem):
    server = Server(("127.0.0.1", 0), Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def trusted(host, pem, monkeypatch):
    """The host, whose certificate is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    return host


def code_of(name: str) -> Code:
    with pytest.raises(TailcError) as error:
        read_policy(name)
    return error.value.findings[0].code


@pytest.mark.parametrize("file", ["search.tailc", "é.tailc"])
def test_a_file_of_a_server_is_read(trusted, file):
    read = read_policy(f"https://{trusted}/{file}@{digest(POLICY)}")
    assert read == read_policy(VECTORS / "smallest.tailc")


def test_the_file_of_an_artifact_is_read_with_the_token_of_its_registry(trusted):
    read = read_policy(f"oci://{trusted}/team/search@{digest(MANIFEST)}")
    assert read == read_policy(VECTORS / "smallest.tailc")


def test_other_bytes_than_the_name_states_are_refused(trusted):
    wrong = digest(b"another")
    assert code_of(f"https://{trusted}/search.tailc@{wrong}") is Code.HASH_MISMATCH


@pytest.mark.parametrize(
    "name",
    [
        "https://{}/search.tailc",
        "https://{}/absent@" + digest(POLICY),
        "https://{}/moved@" + digest(POLICY),
        "https://{}/cut@" + digest(POLICY),
        "https://{}/\x01@" + digest(POLICY),
        "oci://{}/team/search@" + digest(TWO_LAYERS),
        "oci://{}/team/search@" + digest(NUMBER),
        "oci://{}/team/absent@" + digest(MANIFEST),
    ],
)
def test_what_cannot_be_read_is_refused(trusted, name):
    assert code_of(name.format(trusted)) is Code.CANNOT_READ


def test_an_unknown_certificate_is_refused(host):
    assert code_of(f"https://{host}/search.tailc@{digest(POLICY)}") is Code.CANNOT_READ
