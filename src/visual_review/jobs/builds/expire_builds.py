"""Ends builds whose uploads never finish, and clears away what was uploaded for nothing."""

import logging

from procrastinate.contrib.django import app

from visual_review.builds.publishing.expiry import expire_builds, sweep_incoming
from visual_review.kernel.blobs import blob_store

logger = logging.getLogger(__name__)


# A queueing lock keeps runs from piling up while no worker is there.
@app.periodic(cron="*/5 * * * *")
@app.task(name="expire_builds", queue="upkeep", queueing_lock="expire_builds")
def expire(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    expired = expire_builds()
    swept = sweep_incoming(blob_store())
    if expired or swept:
        logger.info("%s builds expired, %s abandoned uploads deleted", expired, swept)
