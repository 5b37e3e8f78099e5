"""One trace from ``visual-review publish`` over the web process and the worker to the verdict."""

import json
from pathlib import Path

from tests.journeys.watching.conftest import WatchedService
from tests.support.servers.collector import CollectedSpan
from tests.support.servers.service import HTTP, wait_until

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def spans_of(service: WatchedService, trace: str) -> dict[tuple[str, str], CollectedSpan]:
    return {
        (span.service, span.name): span for span in service.collector.spans() if span.trace == trace
    }


def test_one_trace_leads_from_publish_to_the_verdict(service: WatchedService) -> None:
    job = f"00-{TRACE}-{PARENT}-01"
    service.publish(150, **service.collector.variables, TRACEPARENT=job)
    wait_until(
        "the span of the job came",
        lambda: ("visual-review-worker", "process_build") in spans_of(service, TRACE),
    )
    found = spans_of(service, TRACE)
    publish = found["visual-review-client", "visual-review publish"]
    finish = found["visual-review-web", "POST /api/ci/builds/<str:build_id>/finish"]
    upload = found["visual-review-web", "PUT /blobs/<path:key>"]
    process = found["visual-review-worker", "process_build"]
    # The CI job's own span is above them all.
    assert publish.parent == PARENT
    assert finish.parent == upload.parent == publish.id
    assert process.parent == finish.id
    assert not any(span.is_error for span in found.values())


def test_the_log_names_the_trace(service: WatchedService) -> None:
    header = {"traceparent": f"00-{TRACE[::-1]}-{PARENT}-01"}
    HTTP.get(f"{service.job.server.url}/sign-in", headers=header)
    HTTP.get(f"{service.job.server.url}/sign-in")
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line[:1] == "{"]
    paths = [line.get("path") for line in lines if line.get("traceId") == TRACE[::-1]]
    assert paths == ["/sign-in"]
    # Every request has a trace, also without a caller's.
    assert all("traceId" in line for line in lines if line.get("path") == "/sign-in")


def test_a_wrong_header_begins_a_new_trace(service: WatchedService) -> None:
    for wrong in ("", "00-0-0-01", f"00-{'0' * 32}-{PARENT}-01", "\u00e9" * 3000):
        header = {b"traceparent": wrong.encode("latin-1")}
        assert HTTP.get(f"{service.job.server.url}/sign-in", headers=header).status_code == 200


def test_spans_contain_no_name_and_no_secret(service: WatchedService) -> None:
    service.publish(160, **service.collector.variables)
    wait_until("spans came", lambda: len(service.collector.spans()) > 5)
    secret = (service.job.token, service.job.server.key, service.job.name, "demo@example.com")
    bodies = b"".join(service.collector.bodies)
    assert [each for each in secret if each.encode() in bodies] == []


def test_without_variables_nothing_is_sent_and_nothing_said(service: WatchedService) -> None:
    sent = len([span for span in service.collector.spans() if "client" in span.service])
    assert "OTEL" not in service.publish(170)
    off = {**service.collector.variables, "OTEL_SDK_DISABLED": "true"}
    assert "OTEL" not in service.publish(171, **off)
    assert len([span for span in service.collector.spans() if "client" in span.service]) == sent


def test_a_protocol_that_is_not_spoken_is_reported(service: WatchedService) -> None:
    variables = {**service.collector.variables, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    assert "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'" in service.publish(172, **variables)


def test_a_missing_package_is_reported(service: WatchedService, tmp_path: Path) -> None:
    """A folder that hides the package is first on the path, as if it were not installed."""
    (tmp_path / "hidden").mkdir()
    hide = "import sys\nsys.modules['opentelemetry.exporter'] = None\n"
    (tmp_path / "hidden" / "sitecustomize.py").write_text(hide)
    variables = {**service.collector.variables, "PYTHONPATH": str(tmp_path / "hidden")}
    assert "pip install opentelemetry-exporter-otlp-proto-http" in service.publish(173, **variables)


def test_a_collector_that_is_down_does_not_fail_the_publish(service: WatchedService) -> None:
    down = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    service.publish(174, **down)
