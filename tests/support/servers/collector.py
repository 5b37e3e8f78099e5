"""A collector of OpenTelemetry's traces: takes spans by OTLP over HTTP, like a real one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PATH: Final = "/v1/traces"


@dataclass(frozen=True)
class CollectedSpan:
    service: str
    name: str
    trace: str
    id: str
    parent: str
    is_error: bool


@dataclass
class Collector:
    """``port`` takes the spans; ``bodies`` are the received requests."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment for a program that sends its spans to the collector soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    def spans(self) -> list[CollectedSpan]:
        return [span for body in list(self.bodies) for span in _parse(body)]


def _parse(body: bytes) -> Iterator[CollectedSpan]:
    for of_service in ExportTraceServiceRequest.FromString(body).resource_spans:
        names = {each.key: each.value.string_value for each in of_service.resource.attributes}
        for scope in of_service.scope_spans:
            for span in scope.spans:
                yield CollectedSpan(
                    names["service.name"],
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.status.code == span.status.STATUS_CODE_ERROR,
                )


@contextmanager
def otlp_collector() -> Iterator[Collector]:
    """Collect spans until the block ends."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == PATH
            collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield collector
        finally:
            server.shutdown()
