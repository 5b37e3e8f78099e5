"""The CI interface of builds over HTTP, see docs/reference/ci-interface.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from visual_review.client.publishing.responses import (
    CreatedBuild,
    Plan,
    Progress,
    Upload,
    read_created,
    read_plan,
    read_progress,
    read_uploads,
)
from visual_review.client.transport.connection import Connection, FilePart

PNG: Final = "image/png"


class Service(Connection):
    """Capture plans, builds and their images."""

    def plan(self, query: Mapping[str, str | int]) -> Plan:
        return read_plan(self.call("GET", "capture-plan", params=query))

    def create(self, build: Mapping[str, Any]) -> CreatedBuild:
        return read_created(self.call("POST", "builds", json=build))

    def announce(
        self, build_id: str, shard: int, screenshots: Sequence[Mapping[str, Any]]
    ) -> list[Upload]:
        """Send a chunk of the manifest, and return the requested uploads."""
        body = {"shard": shard, "screenshots": screenshots}
        return read_uploads(self.call("POST", f"builds/{build_id}/screenshots", json=body))

    def finish(
        self, build_id: str, shard: int, themes: Mapping[str, Any] | None = None
    ) -> Progress:
        """Finish a shard. Raises ConflictError with ``missing`` if announced images are missing."""
        body = {"shard": shard} if themes is None else {"shard": shard, "themes": themes}
        return read_progress(self.call("POST", f"builds/{build_id}/finish", json=body))

    def progress(self, build_id: str) -> Progress:
        return read_progress(self.call("GET", f"builds/{build_id}"))

    def put_image(self, upload: Upload, file: Path) -> None:
        """Upload one image. Raises UploadUrlError if the URL has expired."""
        self.put(upload.url, FilePart.whole(file, PNG), f"the image {upload.sha256}")
