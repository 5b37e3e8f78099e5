"""Bytes outside the database: a folder or an S3 compatible store behind one interface."""

import errno
import hashlib
import hmac
import logging
import os
import shutil
import time
from binascii import b2a_base64
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import parse_qsl, quote, urlsplit

import obstore
from django.conf import settings
from django.core.signing import Signer
from django.utils.crypto import constant_time_compare
from django.utils.encoding import force_bytes
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from visual_review.kernel.clock import now
from visual_review.kernel.connections import release_connection
from visual_review.kernel.disk_reserve import DiskReserve, require_room
from visual_review.kernel.errors import StorageFullError, UnavailableError

if TYPE_CHECKING:
    from obstore import ObjectMeta

# RFC 2104, for SHA-256.
BLOCK_BYTES: Final = 64
INNER: Final = bytes(value ^ 0x36 for value in range(256))
OUTER: Final = bytes(value ^ 0x5C for value in range(256))
# The 32 bytes of a digest and one more are 44 characters without padding, the last one unneeded.
DIGEST_END: Final = b"\0"
STEP: Final = 44
LENGTH: Final = 43
URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def sign_values(signer: Signer, prefix: str, values: Sequence[str]) -> list[str]:
    """Return ``signer.signature(prefix + value)`` of each value; of a signer with SHA-256."""
    salted = force_bytes(signer.salt) + b"signer" + force_bytes(signer.key)
    key = hashlib.sha256(salted).digest().ljust(BLOCK_BYTES, b"\0")
    # Both begin alike for all values: only the rest is hashed for each.
    inner = hashlib.sha256(key.translate(INNER) + prefix.encode())
    outer = hashlib.sha256(key.translate(OUTER))
    digests = []
    for value in values:
        message = inner.copy()
        message.update(value.encode())
        whole = outer.copy()
        whole.update(message.digest())
        digests.append(whole.digest())
    return _encode_all(digests)


def _encode_all(digests: Sequence[bytes]) -> list[str]:
    """Return each digest in URL-safe base64, without padding."""
    # 33 bytes are 44 characters exactly, so all digests can be encoded in one call.
    joined = b2a_base64(DIGEST_END.join([*digests, b""]), newline=False).translate(URL_SAFE)
    text = joined.decode("ascii")
    return [text[start : start + LENGTH] for start in range(0, len(digests) * STEP, STEP)]


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
    """Signs URLs below ``base_url``, which contains the bucket and the prefix."""

    base_url: str
    region: str
    access_key: AccessKey

    def upload_link(self, key: str, size: int, seconds: int, moment: datetime) -> str:
        """Return a URL for uploading exactly ``size`` bytes, valid for ``seconds``."""
        return self.sign("PUT", [key], seconds, moment, {"content-length": str(size)})[0]

    def read_links(self, keys: Sequence[str], seconds: int, moment: datetime) -> list[str]:
        """Return URLs for reading the keys, valid for ``seconds``."""
        return self.sign("GET", keys, seconds, moment, {})

    def sign(
        self,
        method: str,
        keys: Sequence[str],
        seconds: int,
        moment: datetime,
        headers: Mapping[str, str],
    ) -> list[str]:
        """Return signed URLs, valid only with the given headers (lower-case names)."""
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
        # Everything up to here is the same for each of thousands of keys.
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


Method = Literal["GET", "PUT"]
# Django signs with the secret key too; the salt keeps the signatures apart.
LINK_SALT = "visual_review.blobs"
LINK_PATH = "/blobs"
LINK_STEP = 300
# Rounding shortens a lifetime by no more than one part in ``LINK_STEPS``.
LINK_STEPS = 12
# For responses with a blob: whatever type a browser guesses, nothing is run or loaded.
CONTENT_POLICY = "sandbox; default-src 'none'"
# Enough for any date. Python rejects numbers with thousands of digits with another error.
LINK_DIGITS = 12
# PostgreSQL may use the same disk, and stops when its log cannot be written.
MINIMUM_FREE_BYTES = 64 * 1024 * 1024
# The store reports the system's error only in the error's text.
DISK_FULL_MARKS = tuple(f"(os error {code})" for code in (errno.ENOSPC, errno.EDQUOT))


class BlobMissingError(Exception):
    """No blob is stored under the key."""


class LinkInvalidError(Exception):
    """The signed URL is expired, was changed, or is for another method."""


@dataclass(frozen=True)
class BlobStore:
    """Blobs by key. ``folder`` is set when the blobs are stored on this machine.

    ``signer`` is set when the storage's access key is known: then clients upload directly to the
    storage. ``reserve``: nothing is stored in the folder while the reserve of its disk is given
    back.
    """

    store: LocalStore | S3Store | MemoryStore
    folder: Path | None = None
    signer: S3Signer | None = None
    reserve: DiskReserve | None = None

    def put(self, key: str, data: bytes) -> None:
        """Store ``data``; an existing key keeps its bytes, since keys are content hashes."""
        self.check_free_space(len(data))
        self._release_connection()
        try:
            obstore.put(self.store, key, data, mode="create")
        except AlreadyExistsError:
            return
        except (BaseError, OSError) as error:
            # The disk may fill up between the check and the end of the write.
            if is_disk_full(error):
                raise disk_full_error() from error
            raise storage_error("write", key) from error

    def get(self, key: str) -> bytes:
        """Return the bytes of ``key``; raises BlobMissingError or UnavailableError."""
        self._release_connection()
        try:
            return obstore.get(self.store, key).bytes().to_bytes()
        except FileNotFoundError as error:
            raise BlobMissingError(key) from error
        except BaseError as error:
            raise storage_error("read", key) from error

    def size(self, key: str) -> int | None:
        """Return the size of a blob in bytes, or None if the blob does not exist."""
        try:
            return obstore.head(self.store, key)["size"]
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise storage_error("inspect", key) from error

    def delete(self, keys: Sequence[str]) -> None:
        """Delete the keys, many at a time; missing ones are ignored."""
        self._release_connection()
        if len(keys) == 1 or not self._delete(keys):
            list(_pool().map(self._delete, keys))

    def _delete(self, keys: str | Sequence[str]) -> bool:
        """Delete a key or, many times as fast, several; return False at a missing file."""
        try:
            obstore.delete(self.store, keys)
        except FileNotFoundError:
            return False
        except BaseError as error:
            raise storage_error("delete", keys if isinstance(keys, str) else keys[0]) from error
        return True

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yield every key below ``prefix``, as ``sizes`` does."""
        return (item["path"] for item in self._list(prefix))

    def sizes(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield key and size of each blob below ``prefix``, a folder without its trailing slash.

        There may be millions. Raises UnavailableError, possibly after some keys.
        """
        return ((item["path"], item["size"]) for item in self._list(prefix))

    def stored_before(self, folder: str, moment: datetime) -> list[str]:
        """List the keys below ``folder`` stored before ``moment``; raises UnavailableError."""
        return [item["path"] for item in self._list(folder) if item["last_modified"] < moment]

    def _list(self, prefix: str) -> Iterator["ObjectMeta"]:
        try:
            for page in obstore.list(self.store, prefix or None):
                yield from page
        except BaseError as error:
            raise storage_error("list", prefix) from error

    def link(self, key: str, seconds: int) -> str:
        """Return a URL for reading the blob, valid for at most ``seconds``."""
        return self.links([key], seconds)[0]

    def links(self, keys: Sequence[str], seconds: int) -> list[str]:
        """Return the URLs of many blobs, in the same order; much faster than one by one."""
        if self.signer is not None:
            return self.signer.read_links(keys, seconds, now())
        if isinstance(self.store, S3Store):
            # Only the store knows the temporary credentials of a role.
            return list(obstore.sign(self.store, "GET", list(keys), timedelta(seconds=seconds)))
        return _service_links(keys, seconds, "GET")

    def links_expire_at(self, seconds: int) -> datetime:
        """Return the time until which links made from now on for ``seconds`` work at least."""
        if self.signer is not None or isinstance(self.store, S3Store):
            # Their signature has the time in whole seconds.
            return now().replace(microsecond=0) + timedelta(seconds=seconds)
        return datetime.fromtimestamp(_service_links_end(seconds), UTC)

    def upload_link(self, key: str, size: int | None, seconds: int) -> str:
        """Return a URL for uploading ``size`` bytes, valid for at most ``seconds``.

        The URL leads to the storage only if the storage can limit the upload to that size,
        otherwise to the service, which checks the received bytes.
        """
        if self.signer is None or size is None:
            return _service_links([key], seconds, "PUT")[0]
        return self.signer.upload_link(key, size, seconds, now())

    def _release_connection(self) -> None:
        if self.folder is None:
            # Remote storage may be slow.
            release_connection()

    def check_free_space(self, size: int) -> None:
        """Raise StorageFullError when ``size`` bytes would fill this machine's disk."""
        if self.folder is None:
            return
        # Only PostgreSQL may use a reserve after the reserve was given back.
        require_room(self.reserve)
        if shutil.disk_usage(self.folder).free < size + MINIMUM_FREE_BYTES:
            raise disk_full_error()


def _service_links(keys: Sequence[str], seconds: int, method: Method) -> list[str]:
    expires = _service_links_end(seconds)
    # The method is signed too, so that a URL for reading an image cannot be used to store one.
    signatures = sign_values(Signer(salt=LINK_SALT), f"{method} {expires} ", keys)
    before, after = f"{settings.PUBLIC_URL}{LINK_PATH}/", f"?expires={expires}&signature="
    return [
        f"{before}{key}{after}{signature}" for key, signature in zip(keys, signatures, strict=True)
    ]


def _service_links_end(seconds: int) -> int:
    # Rounding the expiry keeps a URL the same for a while, so that browsers can cache the image.
    # The expiry is rounded down, so that no URL works longer than promised.
    step = min(LINK_STEP, max(1, seconds // LINK_STEPS))
    return (int(time.time()) + seconds) // step * step


def check_link(key: str, query: Mapping[str, str], method: Method) -> None:
    """Raise LinkInvalidError unless ``query`` has a valid signature for ``key``."""
    expires = query.get("expires", "")
    if not (expires.isascii() and expires.isdigit() and len(expires) <= LINK_DIGITS):
        raise LinkInvalidError("This URL has no valid expiry time.")
    signature = Signer(salt=LINK_SALT).signature(f"{method} {int(expires)} {key}")
    if not constant_time_compare(signature, query.get("signature", "")):
        raise LinkInvalidError(f"This URL was changed, or is not for {method}.")
    if int(expires) < time.time():
        raise LinkInvalidError("This URL has expired. Load the page again to get a new one.")


def is_disk_full(error: Exception) -> bool:
    """Whether a write failed because the disk is full."""
    return any(mark in str(error) for mark in DISK_FULL_MARKS)


def disk_full_error() -> StorageFullError:
    return StorageFullError(
        "The server's disk is full. Nothing was stored. "
        "Free space in the data folder, then run the same command again."
    )


def storage_error(operation: str, key: str) -> UnavailableError:
    return UnavailableError(
        f"The storage failed to {operation} '{key}'. Nothing was lost; try again. If the error "
        "remains, check the disk, or the storage's URL and credentials."
    )


# One store per process keeps connections to S3 open between calls.
@cache
def open_store(url: str, reserve: DiskReserve | None = None) -> BlobStore:
    """Open the store of a ``file:///folder`` or ``s3://bucket/prefix?endpoint=...`` URL.

    S3 credentials come from the usual ``AWS_*`` environment variables.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(parts.path)
        folder.mkdir(parents=True, exist_ok=True)
        # Empty folders are deleted too; otherwise removed builds would leave folders behind.
        return BlobStore(LocalStore(folder, automatic_cleanup=True), folder, reserve=reserve)
    if parts.scheme == "s3":
        return _open_s3(parts.netloc, parts.path.strip("/"), dict(parse_qsl(parts.query)))
    raise UnavailableError(
        f"The storage URL begins with '{parts.scheme}:', which is not supported. "
        "Use file:///folder or s3://bucket?endpoint=https://host&region=name."
    )


def _open_s3(bucket: str, prefix: str, options: dict[str, str]) -> BlobStore:
    region = options.get("region", "us-east-1")
    endpoint = options.get("endpoint") or f"https://s3.{region}.amazonaws.com"
    virtual = options.get("style") == "virtual"
    if virtual and not urlsplit(endpoint).netloc.startswith(f"{bucket}."):
        # The store expects an endpoint that already contains the bucket.
        endpoint = endpoint.replace("://", f"://{bucket}.", 1)
    store = S3Store(
        bucket,
        prefix=prefix or None,
        endpoint=endpoint,
        region=region,
        virtual_hosted_style_request=virtual,
        client_options={"allow_http": endpoint.startswith("http://")},
    )
    access_key = access_key_in(os.environ)
    # Temporary credentials of a role are known to the store only; then uploads go to the service.
    if access_key is None:
        return BlobStore(store)
    folders = ([] if virtual else [bucket]) + ([prefix] if prefix else [])
    base_url = "/".join([endpoint.rstrip("/"), *folders])
    return BlobStore(store, signer=S3Signer(base_url, region, access_key))


def blob_store() -> BlobStore:
    """Return the store from the settings."""
    return open_store(settings.STORAGE_URL, settings.DISK_RESERVE)


# For all callers in this process: a storage has a latency, and handles many requests at once.
CONNECTIONS: Final = 24
WAIT_SECONDS: Final = 4.0

logger = logging.getLogger(__name__)


def read_small_blobs(blobs: BlobStore, keys: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes by key; missing and late blobs are left out."""
    if blobs.folder is not None:
        # Threads would make reading from a local disk slower.
        found = {key: _read(blobs, key) for key in keys}
    else:
        found = _read_at_once(blobs, keys, WAIT_SECONDS)
    return {key: data for key, data in found.items() if data is not None}


def _read_at_once(
    blobs: BlobStore, keys: Sequence[str], wait_seconds: float
) -> dict[str, bytes | None]:
    deadline = time.monotonic() + wait_seconds
    reads: dict[str, Future[bytes | None]] = {
        key: _pool().submit(_read_before, deadline, blobs, key) for key in keys
    }
    wait(reads.values(), timeout=wait_seconds)
    return {key: read.result() if read.done() else None for key, read in reads.items()}


def _read_before(deadline: float, blobs: BlobStore, key: str) -> bytes | None:
    # After the deadline, the caller has gone on without the blob, and other reads need the thread.
    return _read(blobs, key) if time.monotonic() < deadline else None


def _read(blobs: BlobStore, key: str) -> bytes | None:
    try:
        return blobs.get(key)
    except (BlobMissingError, UnavailableError) as error:
        logger.warning("a small blob was not read: %s", error)
        return None


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CONNECTIONS, "blob")
