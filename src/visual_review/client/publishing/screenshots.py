"""Chooses the file for each screenshot of a folder: the image itself, or a file of a test run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from visual_review.client.capture import Variant
from visual_review.client.capture.notes import TEXT_LENGTH, NoteText
from visual_review.client.image_names import NamedImage, NameMapping, NamingOptions
from visual_review.client.image_names.mapping import LONGEST_ID, LONGEST_TITLE, make_image
from visual_review.client.image_names.readers import NameParts, read_path
from visual_review.client.publishing.build_images import Entry
from visual_review.client.publishing.pngs import ImageFile, count_of
from visual_review.client.terminal import printable
from visual_review.client.test_results import (
    OwnScreenshot,
    Source,
    Sources,
    State,
    TestResult,
    find_sources,
)
from visual_review.client.transport.errors import InputError


def list_images(folder: Path, mapping: NameMapping) -> list[ImageFile]:
    """Return the mapped images in the order of stories and variants."""
    images = [
        ImageFile(each.story_id, Variant(each.theme, each.device), folder / each.file, each.title)
        for each in mapping.images
    ]
    return sorted(images, key=lambda image: (image.story_id, image.variant))


@dataclass(frozen=True, slots=True)
class TestResults:
    """Where to look for the results of a run; ``reports`` are named by the user.

    ``inside_only``: the folder is of another job, and must not choose other files to be read.
    """

    scratch: Path
    reports: Sequence[Path] = ()
    inside_only: bool = False

    def find_sources(self, folder: Path, mapping: NameMapping) -> Sources:
        """Raises InputError, as ``test_results.find_sources`` does."""
        found = find_sources(
            folder, mapping, self.scratch, self.reports, inside_only=self.inside_only
        )
        for image in list(mapping.images):
            source = found.by_file.get(image.file)
            if source is not None and source.state == "left_out":
                mapping.images.remove(image)
                mapping.ignored[image.file] = source.reason
        return found


@dataclass(slots=True)
class Screenshots:
    """Images to read, failed screenshots, and the number of images taken over from a test run."""

    images: list[ImageFile] = field(default_factory=list)
    failed: list[Entry] = field(default_factory=list)
    taken_over: int = 0
    notes: list[str] = field(default_factory=list)


def choose_screenshots(folder: Path, mapping: NameMapping, sources: Sources) -> Screenshots:
    """Return the screenshots in the order of stories and variants."""
    chosen = Screenshots()
    for image in list_images(folder, mapping):
        source = sources.by_file.get(image.path.relative_to(folder).as_posix())
        if source is None:
            chosen.images.append(image)
        elif source.state == "taken_over":
            chosen.taken_over += 1
        elif source.path is None:
            title = image.title or image.story_id
            chosen.failed.append(Entry(image.story_id, title, image.variant, error=source.reason))
        else:
            notes = _describe_source(source)
            chosen.images.append(replace(image, path=source.path, notes=notes))
    _add_own(chosen, sources)
    chosen.failed += map(make_failure, sources.failures)
    chosen.notes = describe_sources(sources, chosen)
    return chosen


def _add_own(chosen: Screenshots, sources: Sources) -> None:
    """Add screenshots taken by tests for review. Raises InputError for two of one variant."""
    by_variant = {(each.story_id, each.variant): str(each.path) for each in chosen.images}
    for test, shot in sources.own:
        image = name_own(test, shot)
        variant = Variant(image.theme, image.device)
        place = f"{shot.path or shot.name} of {test.place}"
        other = by_variant.get((image.story_id, variant))
        by_variant[image.story_id, variant] = place
        if other is not None:
            raise InputError(
                f"Two screenshots have the story {image.story_id} in {variant}: {other}, and "
                f"{place}. Give each a name of its own."
            )
        notes = (NoteText("test", printable(f"Taken by {test.place}.")[:TEXT_LENGTH]),)
        if shot.path is None:
            error = printable(shot.error or "the screenshot could not be taken")
            chosen.failed.append(Entry(image.story_id, image.title, variant, error=error))
        else:
            file = ImageFile(image.story_id, variant, shot.path, image.title, notes, shot.unstable)
            chosen.images.append(file)


def name_own(test: TestResult, shot: OwnScreenshot) -> NamedImage:
    """Return story and variant as for an image in a snapshot folder of the same test."""
    project = f"-{test.project}" if test.project else ""
    parts = read_path(f"{test.file}/{shot.name}{project}.png")
    known = replace(parts, theme=shot.theme or parts.theme, device=shot.device or parts.device)
    return make_image("", known, NamingOptions())


def _describe_source(source: Source) -> tuple[NoteText, ...]:
    taken = f"Taken by {source.test}." if source.test else ""
    if source.state == "expectation":
        text = f"{source.reason[:1].upper()}{source.reason[1:]}, within the tolerance of the test."
        return (NoteText("expectation", printable(f"{text} {taken}".strip())[:TEXT_LENGTH]),)
    return (NoteText("test", printable(taken)[:TEXT_LENGTH]),) if taken else ()


def make_failure(test: TestResult) -> Entry:
    """Return the screenshot that stands for a failed test without a known image."""
    naming = NamingOptions()
    image = make_image(
        "", NameParts((test.file,), " ".join(test.titles), browser=test.project), naming
    )
    story, title = image.story_id[:LONGEST_ID], image.title[:LONGEST_TITLE]
    error = f"the test failed before its screenshot: {test.error or 'no error'}"
    return Entry(story, title, Variant(image.theme, image.device), error=printable(error))


def describe_sources(sources: Sources, chosen: Screenshots) -> list[str]:
    """Return a line for each kind of source, for the log."""
    counts = Counter(source.state for source in sources.by_file.values())
    lines: dict[State, str] = {
        "expectation": "{} taken from expectations of a passed run, within the test's tolerance.",
        "actual": "{} taken from the new images of failed tests, in place of their expectations.",
        "failed": "{} failed: their tests ended before their screenshots.",
        "taken_over": "{} not taken by this run; taken over as in a partial build.",
    }
    counts["failed"] = len(chosen.failed)
    return [
        *sources.notes,
        *(
            text.format(count_of(counts[state], "screenshot", "screenshots"))
            for state, text in lines.items()
            if counts[state]
        ),
    ]
