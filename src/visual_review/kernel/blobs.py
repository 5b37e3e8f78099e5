"""Bytes outside the database: a folder or an S3 compatible store behind one interface."""

import errno
import hashlib
import hmac
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import obstore
from django.conf import settings
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from visual_review.kernel.errors import StorageFullError, UnavailableError

Method = Literal["GET", "PUT"]
# Django signs with the secret key too; by a salt of its own no signature passes for another.
LINK_SALT = "visual_review.blobs"
LINK_PATH = "/blobs"
LINK_STEP = 300
# Of a short time no more than this part is lost to rounding.
LINK_STEPS = 12
# Enough for any date. Python refuses to read numbers of thousands of digits, with another error.
LINK_DIGITS = 12
# PostgreSQL may lie on the same disk, and stops when it cannot write its log.
MINIMUM_FREE_BYTES = 64 * 1024 * 1024
# The store tells the system's error in its text alone.
DISK_FULL_MARKS = tuple(f"(os error {code})" for code in (errno.ENOSPC, errno.EDQUOT))


class BlobMissingError(Exception):
    """No blob of that key is stored."""


class LinkInvalidError(Exception):
    """The signed address is expired, changed, or for another method."""


@dataclass(frozen=True)
class BlobStore:
    """Blobs by key. ``folder`` is set when the bytes lie on this machine."""

    store: LocalStore | S3Store | MemoryStore
    folder: Path | None = None

    def put(self, key: str, data: bytes) -> None:
        """Store ``data``; a key that exists keeps its bytes, since keys name contents."""
        self.check_room(len(data))
        try:
            obstore.put(self.store, key, data, mode="create")
        except AlreadyExistsError:
            return
        except (BaseError, OSError) as error:
            # A full disk may also show here: others write between the look at it and the end of
            # this write.
            if is_disk_full(error):
                raise disk_full() from error
            raise unavailable("write", key) from error

    def get(self, key: str) -> bytes:
        """The bytes of ``key``; raises BlobMissingError or UnavailableError."""
        try:
            return obstore.get(self.store, key).bytes().to_bytes()
        except FileNotFoundError as error:
            raise BlobMissingError(key) from error
        except BaseError as error:
            raise unavailable("read", key) from error

    def size(self, key: str) -> int | None:
        """Bytes stored under ``key``, or None when nothing is."""
        try:
            return obstore.head(self.store, key)["size"]
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise unavailable("look at", key) from error

    def delete(self, keys: list[str]) -> None:
        """Delete the keys; those that are gone already do not matter."""
        for key in keys:
            try:
                obstore.delete(self.store, key)
            except FileNotFoundError:
                continue
            except BaseError as error:
                raise unavailable("delete", key) from error

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Every stored key below ``prefix``, a folder without its trailing slash.

        Raises UnavailableError, also halfway through.
        """
        try:
            for page in obstore.list(self.store, prefix or None):
                for item in page:
                    yield item["path"]
        except BaseError as error:
            raise unavailable("list", prefix) from error

    def stored_before(self, folder: str, moment: datetime) -> list[str]:
        """The keys below ``folder`` stored before ``moment``; raises UnavailableError."""
        try:
            pages = obstore.list(self.store, folder)
            return [
                item["path"] for page in pages for item in page if item["last_modified"] < moment
            ]
        except BaseError as error:
            raise unavailable("list", folder) from error

    def sizes(self, folder: str) -> dict[str, int]:
        """The bytes of every key below ``folder``; raises UnavailableError."""
        try:
            pages = obstore.list(self.store, folder)
            return {item["path"]: item["size"] for page in pages for item in page}
        except BaseError as error:
            raise unavailable("list", folder) from error

    def link(self, key: str, seconds: int, method: Method = "GET") -> str:
        """An address that reads (or takes) the blob and ends within ``seconds``."""
        return self.links([key], seconds, method)[0]

    def links(self, keys: Sequence[str], seconds: int, method: Method = "GET") -> list[str]:
        """The addresses of many blobs, in the same order; much faster than one by one."""
        if isinstance(self.store, S3Store):
            lasting = timedelta(seconds=seconds)
            return list(obstore.sign(self.store, method, list(keys), lasting))
        # A round end keeps an address the same for a while, so that browsers can cache. It is
        # rounded down: what is said to end after an hour opens nothing later.
        step = min(LINK_STEP, max(1, seconds // LINK_STEPS))
        end = (int(time.time()) + seconds) // step * step
        secret, begin = _link_secret(settings.SECRET_KEY), f"{settings.PUBLIC_URL}{LINK_PATH}"
        return [
            f"{begin}/{key}?expires={end}&signature={_signature(secret, key, end, method)}"
            for key in keys
        ]

    def check_room(self, size: int) -> None:
        """Raise StorageFullError when ``size`` bytes would fill this machine's disk."""
        if self.folder is None:
            return
        if shutil.disk_usage(self.folder).free < size + MINIMUM_FREE_BYTES:
            raise disk_full()


@cache
def _link_secret(secret_key: str) -> bytes:
    return hashlib.sha256(f"{LINK_SALT}:{secret_key}".encode()).digest()


def _signature(secret: bytes, key: str, end: int, method: Method) -> str:
    # The method is signed along, or an address to look at a picture could also store one.
    return hmac.digest(secret, f"{method} {end} {key}".encode(), "sha256").hex()


def check_link(key: str, query: Mapping[str, str], method: Method) -> None:
    """Raise LinkInvalidError unless ``query`` holds a signature for ``key`` that still counts."""
    end = query.get("expires", "")
    if not (end.isascii() and end.isdigit() and len(end) <= LINK_DIGITS):
        raise LinkInvalidError("This address carries no readable end.")
    # Compared as bytes: for text the function takes ASCII alone, and the query is the caller's.
    signature = _signature(_link_secret(settings.SECRET_KEY), key, int(end), method)
    if not hmac.compare_digest(signature.encode(), query.get("signature", "").encode()):
        raise LinkInvalidError(f"This address was changed, or is not for {method}.")
    if int(end) < time.time():
        raise LinkInvalidError("This address has ended; load the page again for a new one.")


def is_disk_full(error: Exception) -> bool:
    """Whether a write failed for want of room."""
    return any(mark in str(error) for mark in DISK_FULL_MARKS)


def disk_full() -> StorageFullError:
    return StorageFullError(
        "The server's disk is full: nothing was stored. "
        "Free space in the data folder, then run the same command again."
    )


def unavailable(verb: str, key: str) -> UnavailableError:
    return UnavailableError(
        f"The storage did not let the service {verb} '{key}'. Nothing was lost; try again, "
        "and if it stays so check the disk or the storage's address and credentials."
    )


# One for each process: it keeps the connections to S3 open between calls.
@cache
def open_store(url: str) -> BlobStore:
    """The store of a ``file:///folder`` or ``s3://bucket/prefix?endpoint=...&region=...`` address.

    S3 credentials come from the usual ``AWS_*`` environment variables.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(parts.path)
        folder.mkdir(parents=True, exist_ok=True)
        # A folder that becomes empty is deleted along, or removed builds would leave theirs for
        # good.
        return BlobStore(LocalStore(folder, automatic_cleanup=True), folder)
    if parts.scheme == "s3":
        return BlobStore(_s3(parts.netloc, parts.path.strip("/"), dict(parse_qsl(parts.query))))
    raise UnavailableError(
        f"The storage address begins with '{parts.scheme}:', which is not known here. "
        "Use file:///folder or s3://bucket?endpoint=https://host&region=name."
    )


def _s3(bucket: str, prefix: str, options: dict[str, str]) -> S3Store:
    region = options.get("region", "us-east-1")
    endpoint = options.get("endpoint") or f"https://s3.{region}.amazonaws.com"
    virtual = options.get("style") == "virtual"
    if virtual and not urlsplit(endpoint).netloc.startswith(f"{bucket}."):
        # The store takes an endpoint as it is given, and expects the bucket in it already.
        endpoint = endpoint.replace("://", f"://{bucket}.", 1)
    return S3Store(
        bucket,
        prefix=prefix or None,
        endpoint=endpoint,
        region=region,
        virtual_hosted_style_request=virtual,
        client_options={"allow_http": endpoint.startswith("http://")},
    )


def blob_store() -> BlobStore:
    """The store this process was started with."""
    return open_store(settings.STORAGE_URL)
