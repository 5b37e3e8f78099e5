"""Ends uploads of recordings that never finish, and clears away what nobody needs any more."""

import logging

from procrastinate.contrib.django import app

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.expiry import expire_uploads, sweep_stored, sweep_uploads
from visual_review.recordings.work_folders import sweep_work_folders

logger = logging.getLogger(__name__)


# A queueing lock keeps runs from piling up while no worker is there.
@app.periodic(cron="*/5 * * * *")
@app.task(name="sweep_recordings", queue="upkeep", queueing_lock="sweep_recordings")
def sweep_recordings(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    expired, swept = expire_uploads(), sweep_uploads(blob_store())
    left = sweep_work_folders()
    if expired or swept or left:
        logger.info(
            "%s uploads of recordings expired, %s parts and %s work folders deleted",
            expired,
            swept,
            left,
        )


# It reads the names of all that is stored, hence once a day.
@app.periodic(cron="25 4 * * *")
@app.task(name="sweep_stored_recordings", queue="upkeep", queueing_lock="sweep_stored_recordings")
def sweep_stored_recordings(timestamp: int) -> None:  # noqa: ARG001 - As above.
    swept = sweep_stored(blob_store())
    if swept:
        logger.info("%s files of recordings that are no more were deleted", swept)
