"""Deletes the codes and tokens of connected apps that have ended, and clients nobody let in."""

import logging

from procrastinate.contrib.django import app

from visual_review.accounts.oauth.cleanup import delete_ended

logger = logging.getLogger(__name__)


# A queueing lock keeps runs from piling up while no worker is there.
@app.periodic(cron="40 3 * * *")
@app.task(name="delete_ended_access", queue="upkeep", queueing_lock="delete_ended_access")
def delete_ended_access(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    cleaned = delete_ended()
    if cleaned.tokens or cleaned.grants or cleaned.clients:
        logger.info(
            "%s ended tokens, %s apps and %s clients deleted",
            cleaned.tokens,
            cleaned.grants,
            cleaned.clients,
        )
