"""A local https server with the metadata document of an MCP client.

The service fetches such documents from the public internet only. For a test its setting
``CIMD_METADATA_FETCHER`` names ``FETCHER``, the service's own fetcher with other permitted hosts.
"""

import json
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from visual_review.api.oauth.client_documents import DocumentFetcher

FETCHER: Final = f"{__name__}.LocalFetcher"
CERTIFICATE_VARIABLE: Final = "TESTS_CLIENT_DOCUMENT_CERTIFICATE"
PATH: Final = "/client.json"
# The test cannot choose 443.
UNPRIVILEGED: Final = 1024


class LocalFetcher(DocumentFetcher):
    """Also fetches from this machine, and trusts the local server."""

    def permits(self, address: str) -> bool:
        return ip_address(address).is_loopback or super().permits(address)

    def permits_port(self, port: int) -> bool:
        return port >= UNPRIVILEGED

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=os.environ[CERTIFICATE_VARIABLE])


class _Document(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = f"https://{self.headers['Host']}{self.path}"
        document = {
            "client_id": url,
            "client_name": "A described client",
            # On loopback, any port matches.
            "redirect_uris": ["http://127.0.0.1/callback"],
            "token_endpoint_auth_method": "none",
        }
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def client_document(certificate: Path) -> Iterator[str]:
    """Serve a document until the block ends; yields its URL."""
    with HTTPServer(("127.0.0.1", 0), _Document) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"https://localhost:{server.server_port}{PATH}"
        finally:
            server.shutdown()
            thread.join()


def make_certificate(file: Path) -> None:
    """Write a self-signed certificate of localhost, with the key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    moment = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=moment - timedelta(days=1),
        not_valid_after=moment + timedelta(days=1),
    )
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    itself = x509.BasicConstraints(ca=True, path_length=0)
    builder = builder.add_extension(names, critical=False).add_extension(itself, critical=True)
    certificate = builder.sign(key, hashes.SHA256())
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
