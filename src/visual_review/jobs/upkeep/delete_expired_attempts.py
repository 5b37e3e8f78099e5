"""Deletes counters of attempts that no longer limit anyone."""

from procrastinate.contrib.django import app

from visual_review.accounts.attempts import delete_expired


# The queueing lock keeps runs from piling up while no worker is running.
@app.periodic(cron="50 * * * *")
@app.task(name="delete_expired_attempts", queue="upkeep", queueing_lock="delete_expired_attempts")
def delete_expired_attempts(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    delete_expired()
