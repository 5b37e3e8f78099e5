"""Expires unfinished uploads of recordings, and deletes unneeded bytes."""

import logging

from procrastinate.contrib.django import app

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.removal import expire_uploads, sweep_stored, sweep_uploads

logger = logging.getLogger(__name__)


# The queueing lock keeps runs from piling up while no worker is running.
@app.periodic(cron="*/5 * * * *")
@app.task(name="sweep_recordings", queue="upkeep", queueing_lock="sweep_recordings")
def sweep_recordings(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    expired, parts = expire_uploads(), sweep_uploads(blob_store())
    if expired or parts:
        logger.info("%s uploads of recordings expired, %s parts deleted", expired, parts)


# The sweep lists everything in the storage, so it runs only once a day.
@app.periodic(cron="25 4 * * *")
@app.task(name="sweep_stored_recordings", queue="upkeep", queueing_lock="sweep_stored_recordings")
def sweep_stored_recordings(timestamp: int) -> None:  # noqa: ARG001 - As above.
    deleted = sweep_stored(blob_store())
    if deleted:
        logger.info("%s files of deleted recordings were deleted", deleted)
