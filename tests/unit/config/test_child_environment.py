"""The environment of web and worker: settings of the service, no credential of anything else."""

from visual_review.config.standalone.child_processes import filter_environment, owner_variables

KEPT = {
    "PATH": "/usr/bin",
    "TMPDIR": "/tmp",  # noqa: S108 - A value.
    "LC_ALL": "C",
    "SSL_CERT_FILE": "/etc/ssl/cert.pem",
    "https_proxy": "http://proxy:3128",
    "VISUAL_REVIEW_SEALING_KEYS": "a key of the service",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
}
OWNER = {"VISUAL_REVIEW_OWNER_EMAIL": "o@example.com", "VISUAL_REVIEW_OWNER_PASSWORD": "secret"}
OTHERS = {
    "AWS_SECRET_ACCESS_KEY": "secret",
    "GITHUB_TOKEN": "secret",
    "PGPASSWORD": "secret",
    "SSH_AUTH_SOCK": "/run/agent",
    "SUDO_COMMAND": "visual-review up",
}


def test_only_what_the_service_reads_is_passed_on() -> None:
    assert filter_environment({**KEPT, **OWNER, **OTHERS}) == KEPT


def test_the_first_owner_is_for_the_migration_alone() -> None:
    assert owner_variables({**KEPT, **OWNER, **OTHERS}) == OWNER
