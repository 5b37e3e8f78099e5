"""Spans of OpenTelemetry, nearly free and sent nowhere unless ``config.tracing`` is set up.

Their names and attributes are templates, kinds and ids: no exception's text, and no name or secret.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, format_trace_id
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

# The header of W3C's Trace Context, and the argument of a job in a continued trace.
TRACEPARENT: Final = "traceparent"
TRACER: Final = trace.get_tracer("visual_review")
_PROPAGATOR: Final = TraceContextTextMapPropagator()


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
