"""The kinds of notes on an image: what may be wrong with it, and the way out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from visual_review.client.capture.results import Note, Shot
from visual_review.client.capture.solid_images import is_one_color

FAILED_REQUEST: Final = "failed-request"
BLOCKED_REQUEST: Final = "blocked-request"
PAGE_ERROR: Final = "page-error"
EMPTY_STORY: Final = "empty-story"
BLANK_IMAGE: Final = "blank-image"
TRUNCATED: Final = "truncated"
WIDER: Final = "wider"
HIDDEN_CONTENT: Final = "hidden-content"
SAME_THEMES: Final = "same-themes"
PARAMETER: Final = "parameter"
WAIT_FOR: Final = "wait-for"
# Not a note of its own: the reason is in the shot's ``unstable``.
UNSTABLE: Final = "unstable"

# As the CI interface takes them.
MOST_NOTES: Final = 20
TEXT_LENGTH: Final = 1000
KIND_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class NoteKind:
    """``sentence`` is about one image, ``predicate`` follows a number of screenshots."""

    sentence: str
    predicate: str
    way_out: str


KINDS: Final[Mapping[str, NoteKind]] = {
    UNSTABLE: NoteKind(
        "The page was still changing when the image was taken: {detail}.",
        "were still changing when their images were taken",
        "End what keeps changing, for example by fixed data or a mock, or give the story a delay.",
    ),
    FAILED_REQUEST: NoteKind(
        "A request failed: {detail}.",
        "sent requests that failed",
        "Put the file into the Storybook (`staticDirs`), or mock the request in the story.",
    ),
    BLOCKED_REQUEST: NoteKind(
        "A request to another host was refused: {detail}.",
        "sent requests to hosts that are not allowed",
        "Serve the file from the Storybook or mock the request; --allow-host HOST allows it.",
    ),
    PAGE_ERROR: NoteKind(
        "An error occurred in the page: {detail}.",
        "had errors in the page",
        "Fix the error; what comes after it in the code may be missing in the image.",
    ),
    EMPTY_STORY: NoteKind(
        "The story rendered nothing: {detail}.",
        "rendered nothing",
        "Check the story's arguments and data; exclude it with `skip: true` if that is intended.",
    ),
    BLANK_IMAGE: NoteKind(
        "The image has only one color.",
        "have only one color",
        "Look at the story in the Storybook; exclude it with `skip: true` if that is intended.",
    ),
    TRUNCATED: NoteKind(
        "The image is incomplete: {detail}.",
        "are higher than the limit, and their images end there",
        "Split the story into shorter ones; what lies below the limit is not compared.",
    ),
    WIDER: NoteKind(
        "The page is wider than the viewport: {detail}.",
        "are wider than their viewports, and their images end there",
        "Fix the layout, or set `overflow-x: hidden` if that part is not meant to be seen.",
    ),
    HIDDEN_CONTENT: NoteKind(
        "A part of the content is not in the image: {detail}.",
        "have content that is not in the image",
        "Let the page scroll instead of an element in it, such as by a decorator for this story.",
    ),
    SAME_THEMES: NoteKind(
        "Light and dark look the same in all stories, so the dark theme was probably not set.",
        "in dark equal those in light, in all stories",
        "Say how the theme is switched in visual-review.toml ([capture.themes]), or capture light "
        "only.",
    ),
    PARAMETER: NoteKind(
        "A parameter of the story has no effect here: {detail}.",
        "have parameters without effect",
        'See "Coming from Chromatic or storycap" in the documentation for what replaces it.',
    ),
    WAIT_FOR: NoteKind(
        "What the story asked to wait for did not happen: {detail}.",
        "were captured before what they asked to wait for",
        "Correct `waitFor` in the parameters of the story.",
    ),
}
_UNKNOWN: Final = NoteKind("{detail}", "have other notes", "Update visual-review.")


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as people read it; later versions may have kinds that this one does not know."""

    kind: str
    text: str


def describe(note: Note) -> str:
    """Return what is wrong with the image in a sentence, and the way out in another."""
    kind = KINDS.get(note.kind, _UNKNOWN)
    # Replaced, not formatted: a URL may have braces.
    sentence = kind.sentence.replace("{detail}", note.detail.strip().rstrip(".") or "no details")
    return f"{sentence} {kind.way_out}"[:TEXT_LENGTH]


def describe_all(notes: Iterable[Note]) -> tuple[NoteText, ...]:
    """Return the texts of the notes, each once and not more than the service takes."""
    texts = dict.fromkeys(NoteText(note.kind, describe(note)) for note in notes)
    return tuple(texts)[:MOST_NOTES]


def with_image_notes(shot: Shot) -> Shot:
    """Return the shot with a note if its image has one color, though its story is not empty."""
    if shot.png is None or any(note.kind == EMPTY_STORY for note in shot.notes):
        return shot
    if not is_one_color(shot.png):
        return shot
    return replace(shot, notes=(*shot.notes, Note(BLANK_IMAGE)))
