"""Images are uploaded during the capture; the capture never waits for the server."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event

from rich.console import Console

from tests.support.case import Case
from tests.support.ci.publish_client import make_image
from tests.support.hosts.local_server import ReceivedRequest, Reply, local_server
from visual_review.cli.client.uploading import make_reporter
from visual_review.client.capture import Variant
from visual_review.client.publishing import RetryPolicy, Service
from visual_review.client.publishing.build_images import BuildContents, Entry, Spool
from visual_review.client.publishing.early_upload import EarlyUpload
from visual_review.client.publishing.upload import upload

LIGHT = Variant("light", "desktop")
BUILD = {"id": "build_1", "number": 7, "status": "uploading", "url": "https://r.example.com"}
FINISHED = {**BUILD, "status": "processing", "reviewState": "unreviewed", "counts": {}}
SECONDS = 20


@dataclass
class ReviewServer:
    """Responds like the CI interface; ``held`` requests wait, and ``broken`` ones fail."""

    held: Event | None = None
    broken: bool = False
    requests: int = 0
    builds: int = 0
    announced: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)

    def respond(self, request: ReceivedRequest) -> Reply:
        self.requests += 1
        if self.held is not None:
            self.held.wait(SECONDS)
        if self.broken:
            return Reply(400, [b'{"title": "no", "detail": "It is broken."}'])
        return Reply(200, [json.dumps(self._body(request)).encode()])

    def _body(self, request: ReceivedRequest) -> dict[str, object]:
        if request.method == "PUT":
            self.images.append(request.path.rpartition("/")[2])
            return {}
        if request.path.endswith("/screenshots"):
            shots = json.loads(request.body)["screenshots"]
            self.announced += [shot["storyId"] for shot in shots]
            hashes = dict.fromkeys(shot["sha256"] for shot in shots if "sha256" in shot)
            missing = [each for each in hashes if each not in self.images]
            return {"uploads": [{"sha256": each, "url": f"/blobs/{each}"} for each in missing]}
        if request.path.endswith("/finish"):
            return FINISHED
        self.builds += 1
        return BUILD


class Run:
    """A publish without a browser."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.spool = Spool(folder)
        self.contents = BuildContents((), self.spool.files, ("light",), ("desktop",))
        self.early = EarlyUpload(service, 1, self.create)
        self.entries: list[Entry] = []

    def create(self, _contents: BuildContents):  # type: ignore[no-untyped-def]  # noqa: ANN201 - As Service has it.
        return self.service.create({})

    def take(self, number: int) -> None:
        image = make_image("red", width=4 + number)
        sha256 = self.spool.add(image.data)
        assert sha256 == hashlib.sha256(image.data).hexdigest()
        entry = Entry(
            f"story-{number}", "S", LIGHT, sha256=sha256, width=image.width, height=image.height
        )
        self.entries.append(entry)
        self.early.add(entry)

    def upload_rest(self) -> None:
        build = self.early.build or self.create(self.contents)
        contents = replace(self.contents, entries=self.entries)
        reporter = make_reporter(Console(quiet=True))
        upload(self.service, build, contents, 1, reporter, self.early.sent)


@contextmanager
def running(server: ReviewServer, folder: Path) -> Iterator[Run]:
    with (
        local_server(server.respond) as local,
        Service(local.address, "vr_ci_x", RetryPolicy(attempts=1), on_retry=print) as service,
    ):
        run = Run(service, folder)
        with run.early as early:
            early.begin(run.contents)
            yield run


def wait_for(condition: object) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_first_image_is_uploaded_before_the_second_is_taken(tmp_path: Path) -> None:
    server = ReviewServer()
    with running(server, tmp_path) as run:
        run.take(0)
        wait_for(lambda: run.early.sent)
        assert (server.builds, server.announced, len(server.images)) == (1, ["story-0"], 1)
        for number in range(1, 60):
            run.take(number)
        run.early.stop()
        run.upload_rest()
    assert server.builds == 1
    assert sorted(server.announced) == sorted(entry.story_id for entry in run.entries)
    assert sorted(server.images) == sorted(run.spool.files)


def test_what_changed_after_it_was_sent_is_sent_again(tmp_path: Path) -> None:
    server = ReviewServer()
    with running(server, tmp_path) as run:
        run.take(0)
        run.take(1)
        wait_for(lambda: len(run.early.sent) == 2)
        run.entries[1] = replace(run.entries[1], title="Other")
        run.early.stop()
        run.upload_rest()
    assert server.announced == ["story-0", "story-1", "story-1"]
    assert len(server.images) == 2


def test_the_capture_never_waits_and_the_end_sends_the_rest(case: Case, tmp_path: Path) -> None:
    servers = {
        "held": ReviewServer(held=Event()),
        "broken": ReviewServer(broken=True),
    }
    for name, server in servers.items():
        folder = tmp_path / name
        folder.mkdir()
        with case(name), running(server, folder) as run:
            started = time.monotonic()
            for number in range(20):
                run.take(number)
            assert time.monotonic() - started < 1
            if server.held:
                # Entries not taken before the end are left to the final upload.
                wait_for(partial(getattr, server, "requests"))
                server.held.set()
            run.early.stop()
            assert bool(run.early.sent) == (name == "held")
            server.broken = False
            run.upload_rest()
            assert sorted(server.images) == sorted(run.spool.files)


def test_a_capture_that_ends_with_an_error_does_not_wait(tmp_path: Path) -> None:
    server = ReviewServer()
    held = server.held = Event()
    run_folder = running(server, tmp_path)
    run = run_folder.__enter__()
    run.take(0)
    wait_for(partial(getattr, server, "requests"))
    started = time.monotonic()
    run.early.__exit__()
    assert time.monotonic() - started < 1
    held.set()
    run_folder.__exit__(None, None, None)
