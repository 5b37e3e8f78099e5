"""Deletes expired codes and tokens of connected apps, and clients never authorized."""

import logging

from procrastinate.contrib.django import app

from visual_review.accounts.oauth.cleanup import delete_expired

logger = logging.getLogger(__name__)


# The queueing lock keeps runs from piling up while no worker is running.
@app.periodic(cron="40 3 * * *")
@app.task(name="delete_ended_access", queue="upkeep", queueing_lock="delete_ended_access")
def delete_ended_access(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    cleaned = delete_expired()
    if cleaned.tokens or cleaned.grants or cleaned.clients:
        logger.info(
            "%s expired tokens, %s apps and %s clients deleted",
            cleaned.tokens,
            cleaned.grants,
            cleaned.clients,
        )
