"""Django's e-mail settings of an ``smtp://user:password@host:port?tls=...`` address."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from visual_review.config.errors import StartupError

EXAMPLE = "smtp://user:password@mail.example.com:587?tls=starttls&from=reviews@example.com"
TLS_KINDS = ("starttls", "tls", "none")
PORTS = {"starttls": 587, "tls": 465, "none": 25}
SECONDS = 20


@dataclass(frozen=True)
class Mail:
    """``configured`` is False without an address; then nothing is ever sent or written."""

    configured: bool
    backend: str
    sender: str = "visual-review@localhost"
    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def read_mail(url: str) -> Mail:
    """Read the address; raises StartupError naming what it does not understand."""
    if not url:
        # Mails hold one-time links, so they are dropped rather than printed to the log.
        return Mail(configured=False, backend="django.core.mail.backends.dummy.EmailBackend")
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    kind = options.get("tls", "starttls")
    if parts.scheme != "smtp" or not parts.hostname or kind not in TLS_KINDS:
        raise StartupError(
            f"VISUAL_REVIEW_EMAIL_URL must look like {EXAMPLE}, with tls one of "
            f"{', '.join(TLS_KINDS)} and from an address of yours."
        )
    return Mail(
        configured=True,
        backend="django.core.mail.backends.smtp.EmailBackend",
        sender=options.get("from", f"visual-review@{parts.hostname}"),
        host=parts.hostname,
        port=_port(parts.netloc, PORTS[kind]),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=kind == "starttls",
        tls=kind == "tls",
    )


def _port(place: str, default: int) -> int:
    try:
        return urlsplit(f"smtp://{place}").port or default
    except ValueError as error:
        raise StartupError(
            f"The port in VISUAL_REVIEW_EMAIL_URL is no port number. It must look like {EXAMPLE}."
        ) from error
