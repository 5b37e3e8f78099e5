"""Deletes a recording's bytes and then its row."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.removal import DELETE_RECORDING, delete_hidden

# Pauses triple, so the last attempts are days later, when the storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=DELETE_RECORDING, queue="upkeep", retry=RETRY)
def delete_recording(recording_id: str, repository_id: str = "") -> None:  # noqa: ARG001 - The queue reads it: repositories take turns.
    delete_hidden(recording_id, blob_store())
