"""Expires builds whose uploads never finish, and deletes abandoned uploads."""

import logging

from procrastinate.contrib.django import app

from visual_review.builds.publishing.uploads import expire_builds, sweep_incoming
from visual_review.kernel.blobs import blob_store

logger = logging.getLogger(__name__)


# The queueing lock keeps runs from piling up while no worker is running.
@app.periodic(cron="*/5 * * * *")
@app.task(name="expire_builds", queue="upkeep", queueing_lock="expire_builds")
def expire_stale_builds(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    expired = expire_builds()
    deleted = sweep_incoming(blob_store())
    if expired or deleted:
        logger.info("%s builds expired, %s abandoned uploads deleted", expired, deleted)
