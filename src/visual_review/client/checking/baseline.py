"""The baseline of a branch, from the server's read call or from the cache."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from visual_review.client.capture import NOT_HASHED, Fingerprint, Variant
from visual_review.client.checking.cache import Cache
from visual_review.client.publishing.responses import Plan, read_plan
from visual_review.client.transport.connection import Connection
from visual_review.client.transport.errors import InputError, ServiceError, expect_schema
from visual_review.imagediff import DEFAULT_LIMITS, Region
from visual_review.imagediff.ignored_rectangles import Rectangle, Rectangles

Key = tuple[str, Variant]
# The names of cached images.
SHA256: Final = re.compile(r"[0-9a-f]{64}")
UNAUTHORIZED: Final = 401
KEY_ADVICE: Final = (
    "The server does not accept this key or sign-in: it is wrong, was revoked or has expired. Sign "
    "in with `visual-review login`, or create a key on your account's page and set "
    "VISUAL_REVIEW_KEY."
)


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """An approved image."""

    title: str
    sha256: str
    size: tuple[int, int]
    # Empty if captured on this machine.
    url: str = ""
    hashes: Fingerprint = NOT_HASHED
    # Ignored by the story, in pixels of the image.
    regions: Rectangles = ()
    # Set by reviewers, in fractions of the compared area.
    dynamic_regions: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True)
class BaselineVersion:
    """Version ``number`` of a branch's baseline."""

    number: int
    branch: str
    created_at: datetime
    by: str
    # Empty if the build was deleted.
    commit: str
    build_number: int | None

    def describe(self) -> str:
        build = f", build #{self.build_number}" if self.build_number else ""
        day = self.created_at.date().isoformat()
        return f"version {self.number} of {self.branch} ({day} by {self.by}{build})"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline for a new build of the branch."""

    plan: Plan
    repository: str
    version: BaselineVersion
    entries: Mapping[Key, BaselineEntry]
    # Whether a screenshot with only faint changes is changed.
    faint: bool
    # When the server sent the baseline; None if just now.
    read_at: datetime | None = None


class BaselineService(Connection):
    """The read call of the CI interface, and the images named in the result."""

    def read(self, query: Mapping[str, str | int]) -> Mapping[str, Any]:
        try:
            return self.call("GET", "baseline", params=query)
        except ServiceError as error:
            if error.status == UNAUTHORIZED:
                raise InputError(KEY_ADVICE) from error
            raise

    def image(self, entry: BaselineEntry) -> bytes:
        what = f"The baseline's image {entry.sha256[:12]}"
        return self.get(entry.url, what, DEFAULT_LIMITS.file_bytes)


def load_baseline(
    service: BaselineService, server: str, query: Mapping[str, str | int], cache: Cache
) -> Baseline:
    """Return the baseline, or the cached baseline if the server cannot be reached.

    Raises InputError without a baseline, and ServiceError.
    """
    name = [server, dict(query)]
    try:
        body, read_at = service.read(query), None
    except ServiceError as error:
        stored = None if error.status is not None else cache.find_document(name)
        if stored is None:
            raise
        body, read_at = stored
    else:
        cache.store_document(name, body)
    return read_baseline(body, read_at)


def read_baseline(body: Mapping[str, Any], read_at: datetime | None = None) -> Baseline:
    """Raises InputError without a baseline, and ServiceError for another schema."""
    with expect_schema("baseline"):
        plan = read_plan(body)
        repository, faint = str(body["repository"]), body["faintChanges"] is True
        entries = {_read_key(entry): _read_entry(entry) for entry in body["entries"]}
        version = body["version"]
        found = None if version is None else _read_version(plan, version)
    if found is None:
        raise InputError(
            f"{repository} has no baseline to compare with yet. Publish a build of its default "
            "branch with `visual-review publish`, and approve it."
        )
    return Baseline(plan, repository, found, entries, faint, read_at)


def _read_version(plan: Plan, body: Mapping[str, Any]) -> BaselineVersion:
    number = body["buildNumber"]
    return BaselineVersion(
        int(plan.baseline_version or 0),
        plan.baseline_branch,
        datetime.fromisoformat(body["createdAt"]),
        str(body["by"]),
        str(body["commit"]),
        None if number is None else int(number),
    )


def _read_key(body: Mapping[str, Any]) -> Key:
    return str(body["storyId"]), Variant(body["theme"], body["device"])


def _read_entry(body: Mapping[str, Any]) -> BaselineEntry:
    if not SHA256.fullmatch(str(body["sha256"])):
        raise ValueError("an entry has no hash")
    return BaselineEntry(
        str(body["title"]),
        str(body["sha256"]),
        (int(body["width"]), int(body["height"])),
        str(body["url"]),
        Fingerprint(str(body["sourceHash"]), str(body["rendererHash"])),
        tuple(sorted(Rectangle(**each) for each in body["regions"])),
        tuple(Region(**each) for each in body["dynamicRegions"]),
    )
