"""Logging: JSON lines for programs, short lines in a terminal, without secrets."""

import json
import logging
import os
import re
import sys
import time
from functools import lru_cache
from http import HTTPStatus
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from visual_review.kernel.tracing import current_trace_id

ACCESS_LOGGER = "visual_review.access"
# The fields of a record of the access log, in this order.
ACCESS_FIELDS = ("method", "path", "status", "milliseconds", "client")
OUTAGE_SECONDS = 1.0
OUTAGE_STATUSES = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE})
LOGGERS_OF_OUTAGES = (
    "visual_review.api.errors",
    "visual_review.config.commands.worker",
    "visual_review.config.http.health",
    "visual_review.web.errors",
)
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%z"
FORMAT_VARIABLE = "VISUAL_REVIEW_LOG"
HIDDEN = "***"
_SECRETS: tuple[tuple[re.Pattern[str], str], ...] = (
    # The service's own credentials begin with a readable prefix.
    (re.compile(r"\b(vr_[a-z]+_)[A-Za-z0-9_-]+"), rf"\g<1>{HIDDEN}"),
    # Passwords in URLs; a password may contain an @.
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"']*:)[^\s/\"']+@"), rf"\g<1>{HIDDEN}@"),
    (
        re.compile(r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?)[^\"',\r\n]+"),
        rf"\g<1>{HIDDEN}",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), rf"\g<1> {HIDDEN}"),
    # Signed links, form fields, connection strings, cookies, dictionaries.
    (
        re.compile(
            # The text before the word is kept; searching for the text took most of the time.
            r"(?i)((?:signature|password|secret|token|credential|sessionid|access_key)"
            r"[a-z_-]*[\"']?\s*[=:]\s*[\"']?)(?!\*\*\*)[^\s&;,\"'}\])]+"
        ),
        rf"\g<1>{HIDDEN}",
    ),
    # Links for a password reset.
    (re.compile(r"(/reset/key/)[^\s/\"']+"), rf"\g<1>{HIDDEN}"),
    # The URLs of images in comments, which need no sign-in.
    (re.compile(r"(/shared-pictures/)[^\s/\"']+"), rf"\g<1>{HIDDEN}"),
)
# Each pattern above needs one of these. Paths in the access log have none, as a rule.
_SUSPICIOUS = re.compile(r"vr_|[:=\s]|/reset/key/|/shared-pictures/")
# Unneeded fields that Python adds to each record, and objects that print a query.
_DROPPED = ["args", "request", "color_message", "msg", "taskName", "socket"]


def mask(text: str) -> str:
    """Replace every credential of a known form in ``text``."""
    if not _SUSPICIOUS.search(text):
        return text
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


class MaskedJson(JsonFormatter):
    """One JSON object per line. Masking the whole line covers tracebacks and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == ACCESS_LOGGER:
            return _access_line(record)
        return mask(super().format(record))

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        return {**log_data, **_trace()}


def _trace() -> dict[str, str]:
    """Return the fields leading from a line to its trace."""
    trace_id = current_trace_id()
    return {"traceId": trace_id} if trace_id else {}


def _access_line(record: logging.LogRecord) -> str:
    """Return the same line for a record without objects or tracebacks, in a tenth of the time."""
    facts = record.__dict__
    # The only field whose text is the client's.
    path = mask(facts["path"])
    fields = {
        "time": _time_of(int(record.created)),
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage().replace(facts["path"], path),
        **{name: facts[name] for name in ACCESS_FIELDS},
        "path": path,
        **_trace(),
    }
    return json.dumps(fields)


@lru_cache(maxsize=1)
def _time_of(second: int) -> str:
    return time.strftime(TIME_FORMAT, time.localtime(second))


class OncePerSecond(logging.Filter):
    """Lets one warning a second of each wording through: an outage affects many calls at once."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        wording, moment = str(record.msg), time.monotonic()
        # Two threads at once may log twice: a lock is not worth its cost.
        is_due = moment - self._logged_at.get(wording, float("-inf")) >= OUTAGE_SECONDS
        if is_due:
            self._logged_at[wording] = moment
        return is_due


class WithoutOutages(logging.Filter):
    """Leaves out Django's lines for responses with 503 and 507: outages have lines of their own."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.__dict__.get("status_code") not in OUTAGE_STATUSES


class MaskedLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


def log_settings() -> dict[str, Any]:
    """Return the dictionary for ``logging.config.dictConfig``, also used as Django's LOGGING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": MaskedJson,
                "fmt": ["asctime", "levelname", "name", "message"],
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
                "datefmt": TIME_FORMAT,
                "reserved_attrs": [*_reserved(), *_DROPPED],
            },
            "line": {
                "()": MaskedLine,
                "fmt": "%(asctime)s %(levelname)-7s %(message)s",
                "datefmt": "%H:%M:%S",
            },
        },
        "filters": {
            "once_per_second": {"()": OncePerSecond},
            "without_outages": {"()": WithoutOutages},
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json" if _wants_json() else "line",
            }
        },
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            # Rejected requests are in the access log already.
            "django.request": {"level": "ERROR", "filters": ["without_outages"]},
            **{name: {"filters": ["once_per_second"]} for name in LOGGERS_OF_OUTAGES},
            "django": {"handlers": [], "propagate": True},
            "procrastinate": {"level": "WARNING"},
            # The pool logs each connection when taken and returned.
            "psycopg.pool": {"level": "WARNING"},
            "stripe": {"level": "WARNING"},
            "uvicorn": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            # The library logs the start and end of each request.
            "mcp": {"level": "WARNING"},
            # At lower levels the library logs codes and tokens.
            "oauthlib": {"level": "WARNING"},
        },
    }


def log_unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log an error that ends the process; as ``sys.excepthook``.

    A traceback may contain a URL with a password; the log masks passwords, Python would not.
    """
    logging.getLogger(__name__).critical("unexpected error", exc_info=(kind, error, trace))


def _wants_json() -> bool:
    return os.environ.get(FORMAT_VARIABLE) == "json" or not sys.stderr.isatty()


def _reserved() -> list[str]:
    return list(logging.makeLogRecord({}).__dict__)
