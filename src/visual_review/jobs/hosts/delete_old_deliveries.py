"""Forgets deliveries of source hosts that came a month ago."""

import logging

from procrastinate.contrib.django import app

from visual_review.repositories.deliveries import forget_old_deliveries

logger = logging.getLogger(__name__)


@app.periodic(cron="37 3 * * *")
@app.task(name="forget_deliveries", queue="upkeep", queueing_lock="forget_deliveries")
def forget_deliveries(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    forgotten = forget_old_deliveries()
    if forgotten:
        logger.info("%s deliveries of source hosts forgotten", forgotten)
