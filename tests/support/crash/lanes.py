"""One repository's CI: the real client publishes, is killed, and runs again until done."""

import io
import random
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from PIL import Image

from tests.support.crash.killed_service import KilledService
from tests.support.servers.service import PROGRAM, environment

STORIES = ("a", "b", "c", "d")
TRIES = 12
COMMIT = "c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe"
# The first of a repository has nothing to be compared with.
MINIMUM_BUILDS = 2
CLIENT_SECONDS = 150
_image_numbers = count(1)


def new_image() -> bytes:
    """Return a tiny PNG of a new size: the image differs, and nothing is carried over."""
    rows, columns = divmod(next(_image_numbers), 40)
    file = io.BytesIO()
    Image.new("RGB", (4 + columns, 4 + rows), (40, 80, 120)).save(file, "PNG")
    return file.getvalue()


@dataclass(frozen=True)
class PublishedBuild:
    """One build in its required final state: each story's state, and whether it was approved."""

    nonce: str
    states: Mapping[str, str]
    approved: bool


@dataclass
class Lane:
    """Publishes one build after the other to a repository of its own."""

    service: KilledService
    folder: Path
    name: str
    dice: random.Random
    repository: str = ""
    token: str = ""
    baseline: dict[str, bytes] = field(default_factory=dict)
    published: list[PublishedBuild] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    client: "subprocess.Popen[bytes] | None" = None
    kills_left: int = 0

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def connect(self) -> None:
        connected = self.service.act("connect_repo", fullName=f"acme/{self.name}")
        self.repository = connected["repo"]["id"]
        self.token = connected["projectToken"]

    def work(self, stop: threading.Event) -> None:
        """Publish until ``stop``; every build is brought to its end."""
        while not stop.is_set() or len(self.published) < MINIMUM_BUILDS:
            self.publish()

    @property
    def is_publishing(self) -> bool:
        """Return whether the client is past its start and at work."""
        return self.client is not None and b"Publishing" in self.log.read_bytes()

    @property
    def may_be_killed(self) -> bool:
        """Whether the client may be killed now; a never-ending build would show nothing."""
        return self.is_publishing and self.kills_left > 0

    def kill_client(self) -> None:
        client = self.client
        if client is not None:
            self.kills_left -= 1
            client.kill()

    def publish(self) -> None:
        nonce = f"{self.name}-{len(self.published)}"
        images, states = self._next_state()
        shown = self.folder / nonce
        shown.mkdir(parents=True)
        for story, data in images.items():
            (shown / f"{story}--light-desktop.png").write_bytes(data)
        differs = set(states.values()) != {"unchanged"}
        self.kills_left = self.dice.choice((1, 2, 2))
        code = self._run_until_it_ends(shown, nonce)
        assert code == (1 if differs else 0), self.outputs[-1]
        approved = differs and self.dice.random() < 0.6
        if approved:
            self._approve(nonce)
            self.baseline = images
        self.published.append(PublishedBuild(nonce, states, approved))

    def _next_state(self) -> tuple[dict[str, bytes], dict[str, str]]:
        """Return the images of the next build, and the expected state of each."""
        images: dict[str, bytes] = {}
        states: dict[str, str] = {}
        for story in STORIES:
            before = self.baseline.get(story)
            choice = self.dice.random()
            if choice < 0.15 and (images or story != STORIES[-1]):
                if before is not None:
                    states[story] = "removed"
                continue
            if before is not None and choice < 0.6:
                images[story], states[story] = before, "unchanged"
            else:
                images[story] = new_image()
                states[story] = "new" if before is None else "changed"
        return images, states

    def _run_until_it_ends(self, folder: Path, nonce: str) -> int:
        for _ in range(TRIES):
            code = self._run(folder, nonce)
            if code in (0, 1):
                return code
            assert not self.service.lost.is_set()
        raise AssertionError(f"{nonce} did not end in {TRIES} runs:\n" + "\n".join(self.outputs))

    def _run(self, folder: Path, nonce: str) -> int:
        command = [*PROGRAM, "publish", str(folder), "--nonce", nonce]
        command += ["--branch", "main", "--commit", COMMIT, "--timeout", "120"]
        with self.log.open("wb") as output:
            self.client = subprocess.Popen(
                command,
                env=environment(VISUAL_REVIEW_URL=self.service.address, UI_REVIEW_TOKEN=self.token),
                cwd=self.folder,
                stdout=output,
                stderr=output,
            )
        code = self.client.wait(CLIENT_SECONDS)
        self.client = None
        self.outputs.append(f"{nonce} exit {code}\n{self.log.read_text()}")
        return code

    def _approve(self, nonce: str) -> None:
        builds = self.service.act("list_builds", repoId=self.repository, limit=1)["builds"]
        build = builds[0]["id"]
        # A response lost in a kill is requested again, and must not move the baseline twice.
        result = self.service.act("approve_build", buildId=build)
        assert result["reviewState"] == "approved", nonce
