"""Keeps the results of a capture and shows its progress."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, Final, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from visual_review.cli.client.console import (
    RateColumn,
    TimeLeftColumn,
    is_interactive,
    make_console,
    print_line,
    print_lines,
)
from visual_review.client.capture import NOT_HASHED, Fingerprint, Shot, file_name
from visual_review.client.capture.manifest import CapturedImage, describe_shot
from visual_review.client.capture.notes import ThemeComparison
from visual_review.client.capture.output_folder import OutputFolder
from visual_review.client.capture.results import Profile


class FailedStories:
    """The failed stories, with their messages and variants."""

    def __init__(self) -> None:
        self._variants: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, shot: Shot) -> None:
        if shot.error is not None:
            self._variants[shot.story.id, shot.error].append(str(shot.variant))

    def lines(self) -> Iterator[str]:
        """Yield the failures in the order of the stories' IDs."""
        for (story, message), variants in sorted(self._variants.items()):
            yield f"failed: {story} ({', '.join(sorted(variants))}): {message}"


# People read CI logs: one line now and then proves a running job.
LINE_EVERY: Final = 50


class CaptureLog:
    """Writes each image on arrival and keeps only the image's metadata."""

    def __init__(
        self, output: OutputFolder, hashes: Mapping[str, Fingerprint], show: Callable[[Shot], None]
    ) -> None:
        self.images: list[dict[str, Any]] = []
        self.shots: list[CapturedImage] = []
        self.profile = Profile()
        self._themes = ThemeComparison()
        self._output = output
        self._hashes = hashes
        self._show = show
        self._started = time.monotonic()

    def seconds(self) -> float:
        """Return the time since the capture began."""
        return time.monotonic() - self._started

    def add(self, shot: Shot) -> None:
        name = None
        if shot.png is not None:
            name = file_name(shot.story.id, shot.variant)
            # Written immediately, so thousands of images never have to fit in memory.
            self._output.write(name, shot.png)
        self.images.append(
            {
                "storyId": shot.story.id,
                "theme": shot.variant.theme,
                "device": shot.variant.device,
                "file": name,
                "width": shot.width,
                "height": shot.height,
                "error": shot.error,
                "unstable": shot.unstable,
            }
        )
        self.profile.add(f"{shot.story.id} {shot.variant}", shot.times)
        self._themes.add(shot)
        self.shots.append(describe_shot(shot, self._hashes.get(shot.story.id, NOT_HASHED)))
        self._show(shot)

    def finish(self) -> None:
        """Add the notes about all images together."""
        self.shots = [
            shot
            if shot.error
            else replace(shot, notes=self._themes.add_note(shot.notes, shot.variant))
            for shot in self.shots
        ]
        for image, shot in zip(self.images, self.shots, strict=True):
            image["notes"] = [asdict(note) for note in shot.notes]


class CaptureProgress:
    """A progress bar on a terminal, plain lines elsewhere; problems are lines in both."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        # Progress goes to stderr: stdout is for the JSON document or the summary.
        self._console = make_console(stderr=True)
        self._lines = not quiet and not is_interactive(self._console)
        self._failed = FailedStories()
        self._done = 0
        self._total = total
        self._bar = Progress(
            TextColumn("Capturing"),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeLeftColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not is_interactive(self._console),
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        for line in self._failed.lines():
            print_lines(self._console, line)

    def show(self, shot: Shot) -> None:
        self._done += 1
        self._bar.advance(self._task)
        self._failed.add(shot)
        if shot.unstable is not None:
            where = f"{shot.story.id} {shot.variant}"
            print_lines(self._console, f"unstable: {where}: {shot.unstable}")
        if self._lines and (self._done % LINE_EVERY == 0 or self._done == self._total):
            self._console.print(f"{self._done} of {self._total}")


def print_profile(profile: Profile) -> None:
    """Print the profile to stderr, like all output other than the result."""
    console = make_console(stderr=True)
    for line in profile.lines():
        print_line(console, line)
