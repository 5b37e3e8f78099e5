"""Metrics of this process for Prometheus. Labels have few values, and never an id or a name."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]
# A registry of our own, so that no other library adds metrics.
REGISTRY: Final = CollectorRegistry()
REQUEST_SECONDS: Final = Histogram(
    "visual_review_http_request_duration_seconds",
    "Seconds until a response began, by method, template of the URL and status.",
    ("method", "route", "status"),
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
COMPARISON_SECONDS: Final = Histogram(
    "visual_review_comparison_duration_seconds",
    "Seconds to compare two images that differ, without reading them.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
JOB_SECONDS: Final = Histogram(
    "visual_review_job_duration_seconds",
    "Seconds that a job ran, by its kind and outcome (succeeded or failed; a retry counts again).",
    ("job", "outcome"),
    buckets=(0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800),
    registry=REGISTRY,
)
SIGN_INS_REFUSED: Final = Counter(
    "visual_review_sign_ins_refused",
    "Sign-ins that were refused: a wrong password or code, by the provider, or too many attempts.",
    ("reason",),
    registry=REGISTRY,
)
