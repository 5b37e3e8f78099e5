"""Signed URLs of S3 that fix the size of an upload (AWS Signature Version 4).

The storage library signs the host only, so a caller with such a URL could store 5 GB; and for
thousands of URLs to read it takes five times as long. Source:
"Authenticating Requests: Using Query Parameters" in the S3 API reference.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

ALGORITHM: Final = "AWS4-HMAC-SHA256"
UNSIGNED: Final = "UNSIGNED-PAYLOAD"
ID, SECRET, SESSION = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"


@dataclass(frozen=True)
class AccessKey:
    id: str
    secret: str = field(repr=False)
    session_token: str = field(default="", repr=False)


def access_key_in(environment: Mapping[str, str]) -> AccessKey | None:
    """Return the access key; None if the credentials come from elsewhere, such as a role."""
    key, secret = environment.get(ID), environment.get(SECRET)
    return AccessKey(key, secret, environment.get(SESSION, "")) if key and secret else None


@dataclass(frozen=True)
class S3Signer:
    """Signs URLs below ``base_url``, which has the bucket and the prefix."""

    base_url: str
    region: str
    access_key: AccessKey

    def upload_link(self, key: str, size: int, seconds: int, moment: datetime) -> str:
        """Return a URL to which exactly ``size`` bytes can be uploaded, for ``seconds``."""
        return self.sign("PUT", [key], seconds, moment, {"content-length": str(size)})[0]

    def read_links(self, keys: Sequence[str], seconds: int, moment: datetime) -> list[str]:
        """Return URLs to read these keys, for ``seconds``."""
        return self.sign("GET", keys, seconds, moment, {})

    def sign(
        self,
        method: str,
        keys: Sequence[str],
        seconds: int,
        moment: datetime,
        headers: Mapping[str, str],
    ) -> list[str]:
        """Return signed URLs that are valid only with these headers, lower-case names."""
        base = urlsplit(self.base_url)
        signed = dict(sorted({**headers, "host": base.netloc}.items()))
        scope = f"{moment:%Y%m%d}/{self.region}/s3/aws4_request"
        query = {
            "X-Amz-Algorithm": ALGORITHM,
            "X-Amz-Credential": f"{self.access_key.id}/{scope}",
            "X-Amz-Date": f"{moment:%Y%m%dT%H%M%SZ}",
            "X-Amz-Expires": str(seconds),
            "X-Amz-SignedHeaders": ";".join(signed),
        }
        if self.access_key.session_token:
            query["X-Amz-Security-Token"] = self.access_key.session_token
        parameters = _canonical_query(query)
        lines = [f"{name}:{value}" for name, value in signed.items()]
        request = "\n".join([parameters, *lines, "", query["X-Amz-SignedHeaders"], UNSIGNED])
        # All of this is the same for each of thousands of keys.
        hashed = self._begin_signature(query["X-Amz-Date"], scope)
        folder, origin = quote(base.path, safe="/~"), f"{base.scheme}://{base.netloc}"
        links = []
        for key in keys:
            path = f"{folder}/{quote(key, safe='/~')}"
            signature = hashed.copy()
            digest = hashlib.sha256(f"{method}\n{path}\n{request}".encode()).hexdigest()
            signature.update(digest.encode())
            value = signature.hexdigest()
            links.append(f"{origin}{path}?{parameters}&X-Amz-Signature={value}")
        return links

    def _begin_signature(self, time: str, scope: str) -> hmac.HMAC:
        """Return the signature up to the digest of a request."""
        key = f"AWS4{self.access_key.secret}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), hashlib.sha256)
        return hmac.new(key, f"{ALGORITHM}\n{time}\n{scope}\n".encode(), hashlib.sha256)


def _canonical_query(values: Mapping[str, str]) -> str:
    return "&".join(
        f"{quote(name, safe='~')}={quote(values[name], safe='~')}" for name in sorted(values)
    )
