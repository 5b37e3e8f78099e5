"""Deletes webhook deliveries after a month."""

import logging

from procrastinate.contrib.django import app

from visual_review.repositories.deliveries import delete_expired_deliveries

logger = logging.getLogger(__name__)


@app.periodic(cron="37 3 * * *")
# Queued jobs have the old name.
@app.task(name="forget_deliveries", queue="upkeep", queueing_lock="forget_deliveries")
def delete_old_deliveries(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    deleted = delete_expired_deliveries()
    if deleted:
        logger.info("%s old webhook deliveries deleted", deleted)
