"""Asks the sign-in providers whether their people still have access."""

from procrastinate.contrib.django import app

from visual_review.accounts.single_sign_on.access_checks import (
    CHECK_ACCESS,
    check_access,
    enqueue_checks,
)


@app.periodic(cron="*/5 * * * *")
@app.task(name="enqueue_access_checks", queue="hosts", queueing_lock="enqueue_access_checks")
def enqueue_access_checks(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    enqueue_checks()


@app.task(name=CHECK_ACCESS, queue="hosts")
def check_access_at_provider(provider_id: str, organization_id: str) -> None:  # noqa: ARG001 - Organizations take turns.
    check_access(provider_id)
