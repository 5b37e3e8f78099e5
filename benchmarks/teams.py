"""Teams that publish next to each other, to measure whether one of them makes another wait.

They use a running service's database and storage, so that only its worker is measured.
"""

import hashlib
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from PIL import Image as PILImage

from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.models import Membership, Organization, User
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.log import SYSTEM
from visual_review.builds.models import Build
from visual_review.builds.publishing.create import create_build
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.requests import AnnouncedShot, BuildRequest
from visual_review.builds.publishing.uploads import IncomingImage
from visual_review.builds.publishing.verification import receive_image
from visual_review.builds.source import BuildSource
from visual_review.builds.states import PROCESSING
from visual_review.builds.variants import Variant
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.recordings.announce import announce_recording
from visual_review.recordings.finish import finish_recording
from visual_review.recordings.keys import IncomingKey, part_name
from visual_review.recordings.models import Enrollment, Recording
from visual_review.recordings.parts import parts_of
from visual_review.recordings.requests import AnnouncedFile, Origin, RecordingRequest, Run
from visual_review.repositories.models import Product, Repository

SIZE = (240, 240)
VARIANT = Variant("light", "desktop")
CHUNK = 500
COMMIT = "c0ffee" + "0" * 34
POLL_SECONDS = 0.1
_numbers = count(1)


def image(number: int) -> bytes:
    """Return a PNG that no other number has, and that takes a few milliseconds to compare."""
    picture = PILImage.new("RGB", SIZE, "white")
    picture.paste((number % 251, number // 251 % 251, number // 63001), (20, 20, 220, 120))
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return file.getvalue()


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Team:
    """An organization with one repository, whose baseline has the same image for every story."""

    name: str
    stories: int
    user: User = field(init=False)
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        organization = Organization.objects.create(name=self.name)
        self.user = User.objects.create_user(f"{self.name}@example.com", name=self.name)
        Membership.objects.create(organization=organization, user=self.user, role="owner")
        self.repository = Repository.objects.create(
            organization=organization, full_name=f"{self.name}/web"
        )
        Product.objects.create(repository=self.repository, detection_armed=False)
        Enrollment.objects.create(repository=self.repository, enabled=True, enabled_at=now())
        first = self.publish(self.upload("main", [image(0)] * self.stories))
        wait_for(first)
        caller = caller_of_user(self.user, organization.id, "web")
        dispatch(any_action("approve_build"), caller, {"buildId": first.id})

    def upload_changes(self, branch: str = "main") -> Build:
        """Upload a build whose screenshots all differ from the baseline, each in its own way."""
        return self.upload(branch, [image(next(_numbers)) for _ in range(self.stories)])

    def upload(self, branch: str, images: Sequence[bytes]) -> Build:
        source = BuildSource(branch=branch, head_repository="", pull_request=None, base_branch="")
        request = BuildRequest(
            nonce=f"run-{next(_numbers)}", source=source, commit=COMMIT, matrix=(VARIANT,)
        )
        build = create_build(self.repository, request)
        data = {hash_of(each): each for each in images}
        shots = [_shot(number, hash_of(each)) for number, each in enumerate(images)]
        for start in range(0, len(shots), CHUNK):
            missing = add_screenshots(self.repository, build.id, 1, shots[start : start + CHUNK])
            for sha256 in set(missing):
                upload = IncomingImage(self.repository.organization_id, build.id, sha256)
                receive_image(upload, data[sha256], blob_store())
        return build

    def publish(self, build: Build) -> Build:
        return finish_shard(self.repository, build.id, 1, SYSTEM)

    def record(self, video: bytes, suffix: str = ".mov") -> Recording:
        """Upload a recording; from here on, only the worker has to do with it."""
        request = _recording(f"key-{next(_numbers)}", video, suffix)
        recording = announce_recording(self.repository, request)
        for part in parts_of(len(video), recording.part_size):
            key = IncomingKey(self.repository.organization_id, recording.id, part_name(part.number))
            blob_store().put(key.key, video[part.offset : part.offset + part.size])
        return finish_recording(self.repository, recording.id, SYSTEM)


def _shot(number: int, sha256: str) -> AnnouncedShot:
    return AnnouncedShot(
        story_id=f"story-{number}",
        title=f"Story {number}",
        theme=VARIANT.theme,
        device=VARIANT.device,
        sha256=sha256,
        width=SIZE[0],
        height=SIZE[1],
    )


def _recording(key: str, video: bytes, suffix: str) -> RecordingRequest:
    return RecordingRequest(
        key=key,
        product_key="default",
        title="A test",
        test=None,
        origin=Origin("main", COMMIT, "", None),
        run=Run("chromium", "passed", 0, "", [], None, None),
        video=AnnouncedFile(f"video{suffix}", len(video), hash_of(video)),
        attachments=(),
    )


def wait_for(build: Build, seconds: float = 600) -> float:
    """Wait until the build is processed; return the seconds that took."""
    began = time.monotonic()
    while Build.objects.get(pk=build.pk).status == PROCESSING:
        if time.monotonic() - began > seconds:
            break
        time.sleep(POLL_SECONDS)
    return time.monotonic() - began
