"""Exports spans by OTLP with the extra ``telemetry``; loaded by name from ``kernel.tracing``."""

import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def start_export(service: str) -> None:
    """Send spans in a thread, and the last ones when the process ends.

    The SDK reads its other variables, such as the sampler and headers for the collector.
    """
    named = os.environ.get("OTEL_SERVICE_NAME") or f"{SERVICE_NAME}=" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    provider = TracerProvider(resource=Resource.create({} if named else {SERVICE_NAME: service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
