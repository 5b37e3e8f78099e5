"""Bytes outside the database: a folder or an S3 compatible store behind one interface."""

import errno
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import obstore
from django.conf import settings
from django.core.signing import Signer
from django.utils.crypto import constant_time_compare
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, UnavailableError
from visual_review.kernel.link_signatures import sign_values
from visual_review.kernel.s3_signing import S3Signer, access_key_in

Method = Literal["GET", "PUT"]
# Django signs with the secret key too; the salt keeps the signatures apart.
LINK_SALT = "visual_review.blobs"
LINK_PATH = "/blobs"
LINK_STEP = 300
# Rounding shortens a lifetime by no more than this fraction.
LINK_STEPS = 12
# Of responses with a blob: whatever type a browser guesses, it runs nothing and loads nothing.
CONTENT_POLICY = "sandbox; default-src 'none'"
# Enough for any date. Python rejects numbers with thousands of digits with another error.
LINK_DIGITS = 12
# PostgreSQL may use the same disk, and stops when it cannot write its log.
MINIMUM_FREE_BYTES = 64 * 1024 * 1024
# The store reports the system's error only in its text.
DISK_FULL_MARKS = tuple(f"(os error {code})" for code in (errno.ENOSPC, errno.EDQUOT))


class BlobMissingError(Exception):
    """No blob with this key is stored."""


class LinkInvalidError(Exception):
    """The signed URL is expired, was changed, or is for another method."""


@dataclass(frozen=True)
class BlobStore:
    """Blobs by key. ``folder`` is set when they are stored on this machine.

    ``signer`` is set where the storage's access key is known: uploads can go there directly.
    """

    store: LocalStore | S3Store | MemoryStore
    folder: Path | None = None
    signer: S3Signer | None = None

    def put(self, key: str, data: bytes) -> None:
        """Store ``data``; an existing key keeps its bytes, since keys are content hashes."""
        self.check_free_space(len(data))
        try:
            obstore.put(self.store, key, data, mode="create")
        except AlreadyExistsError:
            return
        except (BaseError, OSError) as error:
            # The disk may fill up between the check and the end of this write.
            if is_disk_full(error):
                raise disk_full_error() from error
            raise storage_error("write", key) from error

    def get(self, key: str) -> bytes:
        """Return the bytes of ``key``; raises BlobMissingError or UnavailableError."""
        try:
            return obstore.get(self.store, key).bytes().to_bytes()
        except FileNotFoundError as error:
            raise BlobMissingError(key) from error
        except BaseError as error:
            raise storage_error("read", key) from error

    def size(self, key: str) -> int | None:
        """Return the size of a blob in bytes, or None if it does not exist."""
        try:
            return obstore.head(self.store, key)["size"]
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise storage_error("inspect", key) from error

    def delete(self, keys: list[str]) -> None:
        """Delete the keys; missing ones are ignored."""
        for key in keys:
            try:
                obstore.delete(self.store, key)
            except FileNotFoundError:
                continue
            except BaseError as error:
                raise storage_error("delete", key) from error

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yield every key below ``prefix``, a folder without its trailing slash.

        Raises UnavailableError, possibly after some keys.
        """
        try:
            for page in obstore.list(self.store, prefix or None):
                for item in page:
                    yield item["path"]
        except BaseError as error:
            raise storage_error("list", prefix) from error

    def stored_before(self, folder: str, moment: datetime) -> list[str]:
        """List the keys below ``folder`` stored before ``moment``; raises UnavailableError."""
        try:
            pages = obstore.list(self.store, folder)
            return [
                item["path"] for page in pages for item in page if item["last_modified"] < moment
            ]
        except BaseError as error:
            raise storage_error("list", folder) from error

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the size of every key below ``folder``; raises UnavailableError."""
        try:
            pages = obstore.list(self.store, folder)
            return {item["path"]: item["size"] for page in pages for item in page}
        except BaseError as error:
            raise storage_error("list", folder) from error

    def link(self, key: str, seconds: int) -> str:
        """Return a URL to read the blob that expires within ``seconds``."""
        return self.links([key], seconds)[0]

    def links(self, keys: Sequence[str], seconds: int) -> list[str]:
        """Return the URLs of many blobs, in the same order; much faster than one by one."""
        if self.signer is not None:
            return self.signer.read_links(keys, seconds, now())
        if isinstance(self.store, S3Store):
            # With temporary credentials of a role, which only the store knows.
            return list(obstore.sign(self.store, "GET", list(keys), timedelta(seconds=seconds)))
        return _service_links(keys, seconds, "GET")

    def links_expire_at(self, seconds: int) -> datetime:
        """Return until when links for ``seconds`` work that are made from now on, or longer."""
        if self.signer is not None or isinstance(self.store, S3Store):
            # Their signature has the time in whole seconds.
            return now().replace(microsecond=0) + timedelta(seconds=seconds)
        return datetime.fromtimestamp(_service_links_end(seconds), UTC)

    def upload_link(self, key: str, size: int | None, seconds: int) -> str:
        """Return a URL to upload ``size`` bytes that expires within ``seconds``.

        It leads to the storage only if it can be limited to that size, otherwise to the service,
        which checks what it receives.
        """
        if self.signer is None or size is None:
            return _service_links([key], seconds, "PUT")[0]
        return self.signer.upload_link(key, size, seconds, now())

    def check_free_space(self, size: int) -> None:
        """Raise StorageFullError when ``size`` bytes would fill this machine's disk."""
        if self.folder is None:
            return
        if shutil.disk_usage(self.folder).free < size + MINIMUM_FREE_BYTES:
            raise disk_full_error()


def _service_links(keys: Sequence[str], seconds: int, method: Method) -> list[str]:
    expires = _service_links_end(seconds)
    # The method is signed too, so that a URL to read an image cannot be used to store one.
    signatures = sign_values(Signer(salt=LINK_SALT), f"{method} {expires} ", keys)
    before, after = f"{settings.PUBLIC_URL}{LINK_PATH}/", f"?expires={expires}&signature="
    return [
        f"{before}{key}{after}{signature}" for key, signature in zip(keys, signatures, strict=True)
    ]


def _service_links_end(seconds: int) -> int:
    # Rounding the expiry keeps a URL the same for a while, so that browsers can cache it. It
    # is rounded down, so that no URL works longer than promised.
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


# One per process: it keeps connections to S3 open between calls.
@cache
def open_store(url: str) -> BlobStore:
    """Open the store of a ``file:///folder`` or ``s3://bucket/prefix?endpoint=...`` URL.

    S3 credentials come from the usual ``AWS_*`` environment variables.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(parts.path)
        folder.mkdir(parents=True, exist_ok=True)
        # Folders that become empty are deleted too, or removed builds would leave theirs behind.
        return BlobStore(LocalStore(folder, automatic_cleanup=True), folder)
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
        # The store expects that the endpoint contains the bucket already.
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
    return open_store(settings.STORAGE_URL)
