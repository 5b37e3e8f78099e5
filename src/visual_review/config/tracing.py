"""Sends traces to the collector named by the standard variables of OpenTelemetry."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from opentelemetry.trace import SpanKind

from visual_review.kernel.tracing import TRACEPARENT, open_span

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL: Final = "http/protobuf"
PACKAGE: Final = "opentelemetry.exporter.otlp.proto.http"
EXPORT: Final = "visual_review.config.span_export"

logger = logging.getLogger(__name__)


def start_tracing(service: str) -> None:
    """If a variable requests tracing, send this process's spans, or log why that is impossible."""
    endpoint = _find_variable(os.environ, ENDPOINTS)
    if not endpoint or not _is_enabled(os.environ):
        return
    protocol = _find_variable(os.environ, PROTOCOLS)
    if _is_missing(PACKAGE):
        logger.warning(
            "%s is set, but OpenTelemetry's SDK is not installed, so that no traces are sent. "
            "Install Visual Review with the extra 'telemetry', or next to it: "
            "pip install opentelemetry-exporter-otlp-proto-http.",
            endpoint,
        )
    elif protocol and os.environ[protocol] != PROTOCOL:
        logger.warning(
            "%s is '%s', but traces are sent by %s only, so that none are sent. Set it to %s, and "
            "%s to the collector's port for it (4318, as a rule).",
            *(protocol, os.environ[protocol][:40], PROTOCOL, PROTOCOL, endpoint),
        )
    else:
        import_module(EXPORT).start_export(service)


@contextmanager
def traced_command(command: str) -> Iterator[None]:
    """Open a span of a command of the client, in the trace of the CI job if the job has one."""
    start_tracing("visual-review-client")
    traceparent = os.environ.get(TRACEPARENT.upper(), "")
    with open_span(f"visual-review {command}", SpanKind.CLIENT, traceparent):
        yield


def _is_enabled(variables: Mapping[str, str]) -> bool:
    disabled = variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return not disabled and variables.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp"


def _find_variable(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((name for name in names if variables.get(name)), "")


def _is_missing(package: str) -> bool:
    try:
        return find_spec(package) is None
    except ModuleNotFoundError:
        # A package containing the name.
        return True
