"""``/metrics`` of a running web process and a running worker, read as Prometheus reads them."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.journeys.watching.conftest import WatchedService
from tests.support.servers.service import HTTP, wait_until
from visual_review.config.environment import METRICS_PORT, StartupError
from visual_review.config.http.metrics import FRESH_SECONDS, serve_metrics


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Return the value of each series, by its name and the values of its labels."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_published_change_is_in_the_figures(service: WatchedService) -> None:
    service.publish(100)
    service.job.approve_newest()
    service.publish(200)
    worker = samples(service.scrape(service.worker))
    assert worker["visual_review_comparison_duration_seconds_count",] == 1
    assert worker["visual_review_job_duration_seconds_count", "process_build", "succeeded"] == 2

    def web() -> dict[tuple[str, ...], float]:
        return samples(service.scrape(service.web))

    counted = ("visual_review_builds", "unreviewed", "completed")
    wait_until("the builds were counted anew", lambda: counted in web())
    found = web()
    assert found[counted] == 1
    assert found["visual_review_builds", "approved", "completed"] == 1
    assert found["visual_review_figures_missing",] == 0
    assert found["visual_review_worker_last_seen_seconds",] < 30
    assert found["visual_review_storage_free_bytes",] > 0
    assert abs(found["visual_review_clock_difference_seconds",]) < 10
    assert found["visual_review_outbox_messages", "host"] == 0
    finish = ("POST", "/api/ci/builds/<str:build_id>/finish", "200")
    assert found["visual_review_http_request_duration_seconds_count", *finish] == 2


def test_labels_contain_no_id_and_no_name(service: WatchedService) -> None:
    build = service.job.builds()[0]["id"] if service.job.builds() else "build_none"
    HTTP.get(f"{service.job.server.url}/builds/{build}")
    HTTP.get(f"{service.job.server.url}/no/such/page-of-{build}")
    HTTP.request("PROPFIND", f"{service.job.server.url}/repositories/{service.job.repository}")
    text = service.scrape(service.web) + service.scrape(service.worker)
    own = (build, service.job.repository, service.job.name, service.job.token, "demo@example.com")
    assert [each for each in own if each in text] == []
    assert 'method="other"' in text
    assert 'route="/builds/<str:build_id>"' in text
    assert 'route="other",status="404"' in text
    assert not re.search(r'"[^"]*_[0-9a-z]{20,}', text)


def test_a_refused_sign_in_is_counted(service: WatchedService) -> None:
    url = f"{service.job.server.url}/sign-in"
    page = HTTP.get(url)
    token = re.search('name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None
    form = {"login": "demo@example.com", "password": "wrong", "csrfmiddlewaretoken": token[1]}
    cookie = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    HTTP.post(url, data=form, headers={"Referer": url, "Cookie": cookie})
    assert samples(service.scrape(service.web))["visual_review_sign_ins_refused_total", "password"]


def test_the_port_of_the_service_has_no_metrics(service: WatchedService) -> None:
    assert HTTP.get(f"{service.job.server.url}/metrics").status_code == 404
    assert HTTP.get(f"{service.web}/anything").status_code == 404


def test_the_probes_of_the_worker(service: WatchedService) -> None:
    for path in ("/healthz", "/startupz", "/readyz"):
        assert HTTP.get(f"{service.worker}{path}").text == "OK\n"


def test_the_database_is_asked_at_most_once_in_some_seconds(service: WatchedService) -> None:
    assert FRESH_SECONDS == 10
    texts = {
        line
        for _ in range(5)
        for line in service.scrape(service.web).splitlines()
        if line.startswith("visual_review_worker_last_seen_seconds ")
    }
    # A new reading has another age.
    assert len(texts) <= 2


def test_a_port_that_is_in_use_is_named(service: WatchedService) -> None:
    port = int(service.web.rpartition(":")[2])
    with pytest.raises(StartupError, match=f"Port {port} .* with VISUAL_REVIEW_METRICS_PORT"):
        serve_metrics(("127.0.0.1", port), METRICS_PORT, {})
