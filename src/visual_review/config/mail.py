"""Django's e-mail settings, from an ``smtp://user:password@host:port?tls=...`` URL."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from visual_review.config.environment import StartupError

EXAMPLE = "smtp://user:password@mail.example.com:587?tls=starttls&from=reviews@example.com"
TLS_MODES = ("starttls", "tls", "none")
PORTS = {"starttls": 587, "tls": 465, "none": 25}
TIMEOUT_SECONDS = 20


@dataclass(frozen=True)
class Mail:
    """``configured`` is False without a URL; then no mail is sent or logged."""

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
    """Parse the URL; raises StartupError for an invalid one."""
    if not url:
        # Mails hold one-time links, so unsent mails are dropped rather than printed to the log.
        return Mail(configured=False, backend="django.core.mail.backends.dummy.EmailBackend")
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    tls_mode = options.get("tls", "starttls")
    if parts.scheme != "smtp" or not parts.hostname or tls_mode not in TLS_MODES:
        raise StartupError(
            f"VISUAL_REVIEW_EMAIL_URL must look like {EXAMPLE}, where tls is one of "
            f"{', '.join(TLS_MODES)} and from is the sender's mail address."
        )
    return Mail(
        configured=True,
        backend="django.core.mail.backends.smtp.EmailBackend",
        sender=options.get("from", f"visual-review@{parts.hostname}"),
        host=parts.hostname,
        port=_port(parts.netloc, PORTS[tls_mode]),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=tls_mode == "starttls",
        tls=tls_mode == "tls",
    )


def _port(netloc: str, default: int) -> int:
    try:
        return urlsplit(f"smtp://{netloc}").port or default
    except ValueError as error:
        raise StartupError(
            f"The port in VISUAL_REVIEW_EMAIL_URL is not a port number. The URL must look like "
            f"{EXAMPLE}."
        ) from error
