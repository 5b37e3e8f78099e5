"""Spans of OpenTelemetry: nearly free, and sent only where its standard variables name a collector.

Their names and attributes are templates, kinds and ids: no exception's text, and no name or secret.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, format_trace_id
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

# The header of W3C's Trace Context, and the argument of a job in a continued trace.
TRACEPARENT: Final = "traceparent"
TRACER: Final = trace.get_tracer("visual_review")
_PROPAGATOR: Final = TraceContextTextMapPropagator()
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL: Final = "http/protobuf"
PACKAGE: Final = "opentelemetry.exporter.otlp.proto.http"
EXPORT: Final = "visual_review.kernel.span_export"

logger = logging.getLogger(__name__)


@contextmanager
def open_span(name: str, kind: SpanKind, traceparent: str = "") -> Iterator[Span]:
    """Open the span of a request, job or command, in the trace named by ``traceparent``."""
    # Without a parent, the span begins a trace.
    parent = _PROPAGATOR.extract({TRACEPARENT: traceparent}) if traceparent else Context()
    with TRACER.start_as_current_span(
        name, parent, kind, record_exception=False, set_status_on_exception=False
    ) as span:
        succeeded = False
        try:
            yield span
            succeeded = True
        finally:
            if not succeeded:
                span.set_status(StatusCode.ERROR)


def current_traceparent() -> dict[str, str]:
    """Return the current span as a header or an argument by its name; empty without a trace."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return {TRACEPARENT: carrier[TRACEPARENT]} if carrier else {}


def current_trace_id() -> str:
    """Return the id of the current trace in hexadecimal digits, or an empty string."""
    context = trace.get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else ""


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
