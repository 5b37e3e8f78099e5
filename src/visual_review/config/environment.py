"""The settings a host gives through the environment, read in one place."""

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from visual_review.billing.prices import Price, PriceInvalidError, parse_price
from visual_review.config.errors import StartupError
from visual_review.payments.settings import STRIPE_URL, StripeSettings

DATABASE_URL = "VISUAL_REVIEW_DATABASE_URL"
STORAGE_URL = "VISUAL_REVIEW_STORAGE_URL"
SECRET_KEY = "VISUAL_REVIEW_SECRET_KEY"  # noqa: S105 - The name of a variable.
PUBLIC_URL = "VISUAL_REVIEW_PUBLIC_URL"
EMAIL_URL = "VISUAL_REVIEW_EMAIL_URL"
MCP_IMAGE_TOOL = "VISUAL_REVIEW_MCP_IMAGE_TOOL"
ENCRYPTION_KEYS = "VISUAL_REVIEW_SEALING_KEYS"
SOURCE_HOSTS = "VISUAL_REVIEW_SOURCE_HOSTS"
RECORDINGS_PRICE = "VISUAL_REVIEW_RECORDINGS_PRICE"
STRIPE_SECRET_KEY = "VISUAL_REVIEW_STRIPE_SECRET_KEY"  # noqa: S105 - The name of a variable.
STRIPE_WEBHOOK_SECRET = "VISUAL_REVIEW_STRIPE_WEBHOOK_SECRET"  # noqa: S105 - As above.
STRIPE_CUSTOMER = "VISUAL_REVIEW_STRIPE_CUSTOMER"
STRIPE_PRODUCT = "VISUAL_REVIEW_STRIPE_PRODUCT"
STRIPE_URL_NAME = "VISUAL_REVIEW_STRIPE_ADDRESS"
# Whoever hosts for themselves pays nobody, unless they say so.
FREE = "0.00 EUR"
# The hosts of everybody; others an operator names, hence nobody's form makes us call an address
# of the private network.
USUAL_HOSTS = "https://github.com https://gitlab.com https://gitea.com https://codeberg.org"
# The last is the host in memory, for demonstrations.
HOST_SCHEMES = frozenset({"https", "http", "memory"})
# A comma in it would mean that two addresses were written as one.
HOST_NAME = re.compile(r"[a-z0-9._:-]+")
RECORDING_MAX_MB = "VISUAL_REVIEW_RECORDING_MAX_MB"
ATTACHMENT_MAX_MB = "VISUAL_REVIEW_ATTACHMENT_MAX_MB"
RECORDING_TYPES = "VISUAL_REVIEW_RECORDING_TYPES"
WORK_FOLDER = "VISUAL_REVIEW_WORK_FOLDER"
USUAL_TYPES = "webm mp4 m4v mov mkv"
# The most the service takes in one request, which is what an attachment is sent in.
LARGEST_ATTACHMENT_MB = 127
LARGEST_RECORDING_MB = 100_000
# Long enough for any use that derives a key from it.
MINIMUM_SECRET_LENGTH = 32


class EnvironmentInvalidError(StartupError):
    """A variable is missing or unreadable; the message names it and the way out."""


@dataclass(frozen=True)
class Environment:
    database_url: str
    storage_url: str
    secret_key: str
    public_url: str
    email_url: str
    mcp_image_tool: bool
    sealing_keys: tuple[str, ...]
    source_hosts: tuple[str, ...]
    recordings_price: Price
    payments: StripeSettings | None
    recording_max_bytes: int
    attachment_max_bytes: int
    recording_types: tuple[str, ...]
    work_folder: str


def read_environment() -> Environment:
    """What this process was given; empty strings where nothing was."""
    return Environment(
        database_url=os.environ.get(DATABASE_URL, ""),
        storage_url=os.environ.get(STORAGE_URL, ""),
        secret_key=os.environ.get(SECRET_KEY, ""),
        public_url=os.environ.get(PUBLIC_URL, "http://127.0.0.1:8000").rstrip("/"),
        email_url=os.environ.get(EMAIL_URL, ""),
        mcp_image_tool=_switch(MCP_IMAGE_TOOL),
        sealing_keys=_encryption_keys(),
        source_hosts=_source_hosts(),
        recordings_price=_recordings_price(),
        payments=_payments(),
        recording_max_bytes=_megabytes(RECORDING_MAX_MB, 2048, LARGEST_RECORDING_MB),
        attachment_max_bytes=_megabytes(ATTACHMENT_MAX_MB, 100, LARGEST_ATTACHMENT_MB),
        recording_types=_recording_types(),
        work_folder=os.environ.get(WORK_FOLDER, ""),
    )


def _source_hosts() -> tuple[str, ...]:
    texts = os.environ.get(SOURCE_HOSTS, USUAL_HOSTS).split()
    return tuple(_source_host(text, number) for number, text in enumerate(texts, start=1))


def _source_host(text: str, number: int) -> str:
    """The address as it is compared and shown: its host in small letters, no slash at its end."""
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        # Reading the port is what judges it.
        named = HOST_NAME.fullmatch(parts.hostname or "")
        good = parts.scheme in HOST_SCHEMES and named and plain and parts.port != 0
    except ValueError:
        good = False
    if not good:
        # Told by its number, since it may hold a password.
        raise EnvironmentInvalidError(
            f"Address {number} in {SOURCE_HOSTS} is none of a source host. Write each like "
            "https://git.example.com, without user, query or fragment, and separate them by spaces."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _recordings_price() -> Price:
    try:
        return parse_price(os.environ.get(RECORDINGS_PRICE) or FREE)
    except PriceInvalidError as error:
        raise EnvironmentInvalidError(f"{RECORDINGS_PRICE}: {error}") from error


def _payments() -> StripeSettings | None:
    """Stripe's settings, where any of them is given; then all must be."""
    names = (STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_CUSTOMER, STRIPE_PRODUCT)
    given = {name: os.environ.get(name, "") for name in names}
    if not any(given.values()):
        return None
    missing = [name for name, value in given.items() if not value]
    if missing:
        raise EnvironmentInvalidError(
            f"Charges go to Stripe only with {' and '.join(missing)} set too. Set all of "
            f"{', '.join(names)}, or none."
        )
    address = os.environ.get(STRIPE_URL_NAME) or STRIPE_URL
    return StripeSettings(
        secret_key=given[STRIPE_SECRET_KEY],
        webhook_secret=given[STRIPE_WEBHOOK_SECRET],
        customer=given[STRIPE_CUSTOMER],
        product=given[STRIPE_PRODUCT],
        address=address,
    )


def _encryption_keys() -> tuple[str, ...]:
    """The keys secrets are sealed with, the newest first; the secret key stands behind them."""
    keys = tuple(os.environ.get(ENCRYPTION_KEYS, "").split())
    if any(len(key) < MINIMUM_SECRET_LENGTH for key in keys):
        raise EnvironmentInvalidError(
            f"Each key in {ENCRYPTION_KEYS} must have at least {MINIMUM_SECRET_LENGTH} characters. "
            "Separate keys by spaces, the newest first."
        )
    return keys


def _megabytes(name: str, usual: int, most: int) -> int:
    """A size in megabytes of 1024 * 1024 bytes, answered in bytes."""
    text = os.environ.get(name, "") or str(usual)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise EnvironmentInvalidError(
            f"{name} must be a whole number of megabytes from 1 to {most}, not '{text[:40]}'."
        )
    return int(text) * 1024 * 1024


def _recording_types() -> tuple[str, ...]:
    """The endings of videos that are taken, without their dots."""
    types = tuple(os.environ.get(RECORDING_TYPES, USUAL_TYPES).lower().split())
    if not types or not set(types) <= set(USUAL_TYPES.split()):
        raise EnvironmentInvalidError(
            f"{RECORDING_TYPES} must name some of these, separated by spaces: {USUAL_TYPES}."
        )
    return types


def _switch(name: str) -> bool:
    """A variable that is 'on', which it is when nobody set it, or 'off'."""
    value = os.environ.get(name, "on").lower()
    if value not in {"on", "off"}:
        raise EnvironmentInvalidError(f"{name} must be 'on' or 'off', not '{value[:40]}'.")
    return value == "on"


def database_settings(url: str) -> dict[str, object]:
    """Django's settings of a ``postgresql://user:password@host:port/name?option=...`` address.

    A folder with a socket is named by the query: ``postgresql:///name?host=/folder``.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise EnvironmentInvalidError(
            f"{DATABASE_URL} must begin with 'postgresql://', "
            f"for example postgresql://user:password@host:5432/visual_review. "
            f"It begins with '{parts.scheme}:'."
        )
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": options.pop("user", unquote(parts.username or "")),
        "PASSWORD": options.pop("password", unquote(parts.password or "")),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": options.pop("port", str(parts.port or "")),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
