"""The thumbnails of a build's changes, rendered in processes; the worker uses one core for them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.page.processes import rendering_processes
from visual_review.builds.images.blob_keys import change_thumbnail_key_of, image_key
from visual_review.builds.models import Comparison, Screenshot
from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import change_from_json
from visual_review.imagediff.rendering.thumbnails import render_change_thumbnail
from visual_review.kernel.blobs import blob_store


@dataclass(frozen=True)
class ThumbnailRequest:
    image: Path
    target: Path
    size: tuple[int, int]
    boxes: list[Any]
    changes: list[Any]


def render_thumbnails(build_id: str) -> None:
    """Render and store the missing thumbnails of the build's changes."""
    folder = blob_store().folder
    if folder is None:
        raise ValueError("Benchmarks store images in a folder.")
    rows = Screenshot.objects.filter(build=build_id, comparison__has_thumbnail=False)
    found = rows.select_related("image", "comparison").order_by("id")
    requests = [_request(folder, row) for row in found.iterator()]
    with rendering_processes() as pool:
        list(pool.map(render, requests, chunksize=50))
    done = rows.values_list("comparison", flat=True)
    Comparison.objects.filter(pk__in=list(done)).update(has_thumbnail=True)


def render(request: ThumbnailRequest) -> None:
    boxes = [Box(**box) for box in request.boxes]
    changes = [change_from_json(change) for change in request.changes]
    data = render_change_thumbnail(request.image.read_bytes(), request.size, boxes, changes)
    request.target.parent.mkdir(parents=True, exist_ok=True)
    request.target.write_bytes(data)


def _request(folder: Path, row: Screenshot) -> ThumbnailRequest:
    image, comparison = row.image, row.comparison
    if image is None or comparison is None:
        raise ValueError(f"Screenshot {row.id} has no comparison.")
    key = change_thumbnail_key_of(comparison.organization_id, comparison.key)
    return ThumbnailRequest(
        folder / image_key(image),
        folder / key,
        (image.width, image.height),
        comparison.boxes,
        comparison.changes,
    )
