"""Signed URLs of S3 that fix the size of an upload (AWS Signature Version 4).

The storage library signs the host only, so a caller with such a URL could store 5 GB. Source:
"Authenticating Requests: Using Query Parameters" in the S3 API reference.
"""

import hashlib
import hmac
from collections.abc import Mapping
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
        return self.sign("PUT", key, seconds, moment, {"content-length": str(size)})

    def sign(
        self, method: str, key: str, seconds: int, moment: datetime, headers: Mapping[str, str]
    ) -> str:
        """Return a signed URL that is valid only with these headers, lower-case names."""
        url = urlsplit(f"{self.base_url}/{key}")
        signed = dict(sorted({**headers, "host": url.netloc}.items()))
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
        path, parameters = quote(url.path, safe="/~"), _canonical_query(query)
        lines = [f"{name}:{value}" for name, value in signed.items()]
        request = "\n".join(
            [method, path, parameters, *lines, "", query["X-Amz-SignedHeaders"], UNSIGNED]
        )
        signature = self._signature(query["X-Amz-Date"], scope, request)
        return f"{url.scheme}://{url.netloc}{path}?{parameters}&X-Amz-Signature={signature}"

    def _signature(self, time: str, scope: str, request: str) -> str:
        digest = hashlib.sha256(request.encode()).hexdigest()
        key = f"AWS4{self.access_key.secret}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), hashlib.sha256)
        text = f"{ALGORITHM}\n{time}\n{scope}\n{digest}"
        return hmac.digest(key, text.encode(), hashlib.sha256).hex()


def _canonical_query(values: Mapping[str, str]) -> str:
    return "&".join(
        f"{quote(name, safe='~')}={quote(values[name], safe='~')}" for name in sorted(values)
    )
