"""All settings from environment variables."""

import os
import re
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from visual_review.accounts.client_address import Network
from visual_review.billing.prices import Price, PriceInvalidError, parse_price
from visual_review.kernel.disk_reserve import DiskReserve
from visual_review.kernel.usable_cores import usable_cores
from visual_review.payments.settings import STRIPE_URL, StripeSettings

DATABASE_URL = "VISUAL_REVIEW_DATABASE_URL"
# Past a connection pooler in transaction mode: for LISTEN, and for PostgreSQL's own programs.
DIRECT_DATABASE_URL = "VISUAL_REVIEW_DATABASE_DIRECT_URL"
DATABASE_POOL = "VISUAL_REVIEW_DATABASE_POOL"
# Of a process; each core that can compute a build needs one more.
BASIC_POOL = 8
LARGEST_POOL = 1000
# A longer wait for a connection would delay clients that can try again.
POOL_WAIT_SECONDS = 5.0
# The pool closes one idle connection in this time.
POOL_IDLE_SECONDS = 10.0
STORAGE_URL = "VISUAL_REVIEW_STORAGE_URL"
SECRET_KEY = "VISUAL_REVIEW_SECRET_KEY"  # noqa: S105 - The name of a variable.
PUBLIC_URL = "VISUAL_REVIEW_PUBLIC_URL"
EMAIL_URL = "VISUAL_REVIEW_EMAIL_URL"
EXTENSIONS = "VISUAL_REVIEW_EXTENSIONS"
ORGANIZATION_CREATION = "VISUAL_REVIEW_ORGANIZATION_CREATION"
QUOTA_STORED_GB = "VISUAL_REVIEW_QUOTA_STORED_GB"
QUOTA_BUILDS = "VISUAL_REVIEW_QUOTA_BUILDS_PER_DAY"
QUOTA_MEGAPIXELS = "VISUAL_REVIEW_QUOTA_MEGAPIXELS_PER_DAY"
# Where everyone may create organizations; elsewhere there are none.
DEFAULT_QUOTAS = {QUOTA_STORED_GB: 10, QUOTA_BUILDS: 200, QUOTA_MEGAPIXELS: 20_000}
LARGEST_QUOTA = 1_000_000_000
ENCRYPTION_KEYS = "VISUAL_REVIEW_SEALING_KEYS"
SOURCE_HOSTS = "VISUAL_REVIEW_SOURCE_HOSTS"
RECORDINGS_PRICE = "VISUAL_REVIEW_RECORDINGS_PRICE"
STRIPE_SECRET_KEY = "VISUAL_REVIEW_STRIPE_SECRET_KEY"  # noqa: S105 - The name of a variable.
STRIPE_WEBHOOK_SECRET = "VISUAL_REVIEW_STRIPE_WEBHOOK_SECRET"  # noqa: S105 - As above.
STRIPE_CUSTOMER = "VISUAL_REVIEW_STRIPE_CUSTOMER"
STRIPE_PRODUCT = "VISUAL_REVIEW_STRIPE_PRODUCT"
STRIPE_URL_NAME = "VISUAL_REVIEW_STRIPE_ADDRESS"
# Recordings are free on a self-hosted service, unless the operator sets a price.
FREE = "0.00 EUR"
# The public providers. Only the operator can add others, so that no form makes the service call a
# host in the private network.
DEFAULT_HOSTS = "https://github.com https://gitlab.com https://gitea.com https://codeberg.org"
HOST_SCHEMES = frozenset({"https", "http"})
# With a comma allowed, two URLs could be read as one.
HOST_NAME = re.compile(r"[a-z0-9._:-]+")
RECORDING_MAX_MB = "VISUAL_REVIEW_RECORDING_MAX_MB"
ATTACHMENT_MAX_MB = "VISUAL_REVIEW_ATTACHMENT_MAX_MB"
RECORDING_TYPES = "VISUAL_REVIEW_RECORDING_TYPES"
IMAGE_MEMORY_MB = "VISUAL_REVIEW_IMAGE_MEMORY_MB"
LARGEST_IMAGE_MEMORY_MB = 1_000_000
IMAGE_MAX_PIXELS = "VISUAL_REVIEW_IMAGE_MAX_PIXELS"
IMAGE_MAX_SIDE = "VISUAL_REVIEW_IMAGE_MAX_SIDE"
# Two images may cover twice as much, and both must fit into memory.
LARGEST_IMAGE_PIXELS = 500_000_000
LARGEST_IMAGE_SIDE = 1_000_000
WORK_FOLDER = "VISUAL_REVIEW_WORK_FOLDER"
TRUSTED_PROXIES = "VISUAL_REVIEW_TRUSTED_PROXIES"
# Private networks that messages may be sent to, also without TLS.
MESSAGE_NETWORKS = "VISUAL_REVIEW_MESSAGE_NETWORKS"
SECURITY_CONTACT = "VISUAL_REVIEW_SECURITY_CONTACT"
LOOPBACK = "127.0.0.0/8 ::1"
BACKUPS = "VISUAL_REVIEW_BACKUPS"
# Set by `visual-review up` for its processes: the file that reserves room on the disk.
DISK_RESERVE = "VISUAL_REVIEW_DISK_RESERVE"
DISK_RESERVE_MB = "VISUAL_REVIEW_DISK_RESERVE_MB"
DEFAULT_RESERVE_MB = 256
# The address for reading /metrics; each process has a port of its own.
METRICS_HOST = "VISUAL_REVIEW_METRICS_HOST"
METRICS_PORT = "VISUAL_REVIEW_METRICS_PORT"
WORKER_METRICS_PORT = "VISUAL_REVIEW_WORKER_METRICS_PORT"
LARGEST_PORT = 65_535
LARGEST_RESERVE_MB = 100_000
DEFAULT_TYPES = "webm mp4 m4v"
# The maximum size of one request; an attachment is sent in one.
LARGEST_ATTACHMENT_MB = 127
LARGEST_RECORDING_MB = 100_000
MOST_DIGITS = 20
# Long enough for deriving any key.
MINIMUM_SECRET_LENGTH = 32


class StartupError(Exception):
    """The message says what is wrong, where, and what to do; commands exit with 2."""


class EnvironmentInvalidError(StartupError):
    """A variable is missing or invalid; the message names the variable and the remedy."""


@dataclass(frozen=True)
class Environment:
    database_url: str
    storage_url: str
    secret_key: str
    public_url: str
    email_url: str
    extensions: bool
    organization_creation: bool
    # Gigabytes stored, and builds and megapixels a day; 0 is no limit.
    quotas: tuple[int, ...]
    encryption_keys: tuple[str, ...]
    source_hosts: tuple[str, ...]
    recordings_price: Price
    payments: StripeSettings | None
    recording_max_bytes: int
    attachment_max_bytes: int
    recording_types: tuple[str, ...]
    image_memory_bytes: int
    image_max_pixels: int
    image_max_side: int
    work_folder: str
    trusted_proxies: tuple[Network, ...]
    message_networks: tuple[Network, ...]
    security_contact: str
    disk_reserve: DiskReserve | None
    metrics_host: str
    metrics_port: int
    worker_metrics_port: int


def read_environment() -> Environment:
    """Read the environment variables; unset variables are empty strings."""
    return Environment(
        database_url=os.environ.get(DATABASE_URL, ""),
        storage_url=os.environ.get(STORAGE_URL, ""),
        secret_key=os.environ.get(SECRET_KEY, ""),
        public_url=os.environ.get(PUBLIC_URL, "http://127.0.0.1:8000").rstrip("/"),
        email_url=os.environ.get(EMAIL_URL, ""),
        extensions=_read_switch(EXTENSIONS),
        organization_creation=_read_switch(ORGANIZATION_CREATION, default="off"),
        quotas=tuple(map(_read_quota, DEFAULT_QUOTAS)),
        encryption_keys=_read_encryption_keys(),
        source_hosts=_read_host_urls(),
        recordings_price=_read_recordings_price(),
        payments=_read_payments(),
        recording_max_bytes=_read_megabytes(RECORDING_MAX_MB, 2048, LARGEST_RECORDING_MB),
        attachment_max_bytes=_read_megabytes(ATTACHMENT_MAX_MB, 100, LARGEST_ATTACHMENT_MB),
        recording_types=_read_recording_types(),
        image_memory_bytes=_read_megabytes(IMAGE_MEMORY_MB, 512, LARGEST_IMAGE_MEMORY_MB),
        image_max_pixels=_read_integer(IMAGE_MAX_PIXELS, 100_000_000, LARGEST_IMAGE_PIXELS),
        image_max_side=_read_integer(IMAGE_MAX_SIDE, 65_535, LARGEST_IMAGE_SIDE),
        work_folder=os.environ.get(WORK_FOLDER, ""),
        trusted_proxies=_read_trusted_proxies(),
        message_networks=_read_networks(MESSAGE_NETWORKS, os.environ.get(MESSAGE_NETWORKS, "")),
        security_contact=_read_contact(),
        disk_reserve=_read_disk_reserve(),
        metrics_host=os.environ.get(METRICS_HOST) or "127.0.0.1",
        metrics_port=_read_port(METRICS_PORT),
        worker_metrics_port=_read_port(WORKER_METRICS_PORT),
    )


def read_reserve_bytes() -> int:
    """Return the size of the reserve on the disk; 0 means none."""
    if os.environ.get(DISK_RESERVE_MB, "").strip() == "0":
        return 0
    return _read_megabytes(DISK_RESERVE_MB, DEFAULT_RESERVE_MB, LARGEST_RESERVE_MB)


def _read_port(name: str) -> int:
    """Return 0 for an unset variable."""
    return _read_integer(name, 0, LARGEST_PORT) if os.environ.get(name) else 0


def _read_disk_reserve() -> DiskReserve | None:
    path = os.environ.get(DISK_RESERVE, "")
    return DiskReserve(Path(path), read_reserve_bytes()) if path else None


def _read_host_urls() -> tuple[str, ...]:
    texts = os.environ.get(SOURCE_HOSTS, DEFAULT_HOSTS).split()
    return tuple(_parse_host_url(text, number) for number, text in enumerate(texts, start=1))


def _parse_host_url(text: str, number: int) -> str:
    """Return the URL as compared and shown: lower-case host, no trailing slash."""
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        # Reading the port validates the port.
        host = HOST_NAME.fullmatch(parts.hostname or "")
        valid = parts.scheme in HOST_SCHEMES and host and plain and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        # The message gives the URL's number, since the URL may contain a password.
        raise EnvironmentInvalidError(
            f"URL {number} in {SOURCE_HOSTS} is not the URL of a Git provider. Write each like "
            "https://git.example.com, without user, query or fragment, and separate them by spaces."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _read_recordings_price() -> Price:
    try:
        return parse_price(os.environ.get(RECORDINGS_PRICE) or FREE)
    except PriceInvalidError as error:
        raise EnvironmentInvalidError(f"{RECORDINGS_PRICE}: {error}") from error


def _read_payments() -> StripeSettings | None:
    """Return the settings of Stripe, or None if none is set; raises when some are missing."""
    names = (STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_CUSTOMER, STRIPE_PRODUCT)
    given = {name: os.environ.get(name, "") for name in names}
    if not any(given.values()):
        return None
    missing = [name for name, value in given.items() if not value]
    if missing:
        raise EnvironmentInvalidError(
            f"To send charges to Stripe, set {' and '.join(missing)} too. Set all of "
            f"{', '.join(names)}, or none of them."
        )
    return StripeSettings(
        secret_key=given[STRIPE_SECRET_KEY],
        webhook_secret=given[STRIPE_WEBHOOK_SECRET],
        customer=given[STRIPE_CUSTOMER],
        product=given[STRIPE_PRODUCT],
        api_url=os.environ.get(STRIPE_URL_NAME) or STRIPE_URL,
    )


def _read_encryption_keys() -> tuple[str, ...]:
    """The keys for encrypting secrets, the newest first; the secret key comes after these keys."""
    keys = tuple(os.environ.get(ENCRYPTION_KEYS, "").split())
    if any(len(key) < MINIMUM_SECRET_LENGTH for key in keys):
        raise EnvironmentInvalidError(
            f"Each key in {ENCRYPTION_KEYS} must have at least {MINIMUM_SECRET_LENGTH} characters. "
            "Separate keys by spaces, the newest first."
        )
    return keys


def _read_quota(name: str) -> int:
    """Read a limit of each organization; 0 is no limit, the default unless anyone may create one."""
    is_public = _read_switch(ORGANIZATION_CREATION, default="off")
    text = os.environ.get(name, "").strip()
    if text == "0" or not (text or is_public):
        return 0
    return _read_integer(name, DEFAULT_QUOTAS[name], LARGEST_QUOTA)


def _read_megabytes(name: str, default: int, most: int) -> int:
    """Read a size in megabytes (1024 * 1024 bytes); returns bytes."""
    return _read_integer(name, default, most, " (megabytes)") * 1024 * 1024


def _read_integer(name: str, default: int, most: int, unit: str = "") -> int:
    """Read an integer from 1 to ``most``; an empty variable is the default."""
    text = os.environ.get(name, "") or str(default)
    # Python rejects numbers with thousands of digits with another error.
    digits = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    if not (digits and 1 <= int(text) <= most):
        raise EnvironmentInvalidError(
            f"{name} must be an integer from 1 to {most}{unit}, not '{text[:40]}'."
        )
    return int(text)


def _read_recording_types() -> tuple[str, ...]:
    """The accepted file extensions of videos, without dots."""
    types = tuple(os.environ.get(RECORDING_TYPES, DEFAULT_TYPES).lower().split())
    if not types or not set(types) <= set(DEFAULT_TYPES.split()):
        raise EnvironmentInvalidError(
            f"{RECORDING_TYPES} must contain some of these, separated by spaces: {DEFAULT_TYPES}."
        )
    return types


def _read_trusted_proxies() -> tuple[Network, ...]:
    """Return the networks whose X-Forwarded-For is believed; an empty variable means none."""
    return _read_networks(TRUSTED_PROXIES, os.environ.get(TRUSTED_PROXIES, LOOPBACK))


def _read_contact() -> str:
    """Return the contact for vulnerabilities in the form of RFC 9116; empty if not set."""
    contact = os.environ.get(SECURITY_CONTACT, "").strip()
    if contact and not re.fullmatch(r"(https://|mailto:)[!-~]+", contact):
        raise EnvironmentInvalidError(
            f"{SECURITY_CONTACT} must be like 'mailto:security@example.com' or 'https://...'."
        )
    return contact


def _read_networks(name: str, value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(text) for text in value.split())
    except ValueError as error:
        raise EnvironmentInvalidError(
            f"{name} must contain IP addresses and networks, separated by spaces, for "
            f"example '127.0.0.1 10.0.0.0/8': {error}."
        ) from error


def _read_switch(name: str, default: Literal["on", "off"] = "on") -> bool:
    """Read a variable with the value 'on' or 'off'."""
    value = os.environ.get(name, default).lower()
    if value not in {"on", "off"}:
        raise EnvironmentInvalidError(f"{name} must be 'on' or 'off', not '{value[:40]}'.")
    return value == "on"


def database_settings(url: str) -> dict[str, object]:
    """Return Django's settings for ``postgresql://user:password@host:port/name?option=...``.

    The query gives the folder of a socket: ``postgresql:///name?host=/folder``.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise EnvironmentInvalidError(
            f"{DATABASE_URL} must begin with 'postgresql://', "
            "for example postgresql://user:password@host:5432/visual_review. "
            f"It begins with '{parts.scheme}:'."
        )
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "visual_review.kernel.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": options.pop("user", unquote(parts.username or "")),
        "PASSWORD": options.pop("password", unquote(parts.password or "")),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": options.pop("port", str(parts.port or "")),
        # The pool keeps connections, not the threads.
        "CONN_MAX_AGE": 0,
        # The engine checks the connections of the pool.
        "CONN_HEALTH_CHECKS": False,
        # A pooler in transaction mode may serve the next fetch by another connection.
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": {**options, "pool": _pool_settings()},
    }


def _pool_settings() -> dict[str, object]:
    """Return the arguments of psycopg's pool, shared by the threads of a process."""
    return {
        # Warnings of the pool have this name.
        "name": "database",
        "min_size": 1,
        "max_size": _read_integer(DATABASE_POOL, BASIC_POOL + usable_cores(), LARGEST_POOL),
        "timeout": POOL_WAIT_SECONDS,
        "max_idle": POOL_IDLE_SECONDS,
        # Pauses between attempts double up to the timeout, so the pool soon notices free
        # connections.
        "reconnect_timeout": POOL_WAIT_SECONDS,
    }


def direct_database_url() -> str:
    """Return the URL leading to PostgreSQL itself, past a connection pooler."""
    return os.environ.get(DIRECT_DATABASE_URL) or os.environ.get(DATABASE_URL, "")
