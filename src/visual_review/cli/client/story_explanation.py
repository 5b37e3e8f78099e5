"""``visual-review publish --explain STORY``: prints why a story is captured or not."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.output import print_json
from visual_review.client.capture import StorySources
from visual_review.client.publishing import StoryExplanation

SHOWN_FILES: Final = 20
KINDS: Final = {
    "preview": "modules of the preview",
    "code": "built code that all stories load",
    "static": "static files of the Storybook",
}
LIMIT: Final = (
    "The server keeps one hash for each story, so it is known what kind of file changed, "
    "but not which one. To find it, compare the output of --explain with --json on both commits."
)


def report_explanation(explanation: StoryExplanation, *, as_json: bool) -> None:
    if as_json:
        print_json(make_explanation_document(explanation))
        return
    console = make_console()
    for line in format_explanation(explanation):
        print_line(console, line)


def make_explanation_document(explanation: StoryExplanation) -> dict[str, Any]:
    """Return the document of ``--explain --json``, with the hash of every file."""
    sources = explanation.sources
    return {
        "storyId": explanation.story.id,
        "captured": explanation.captured,
        "reasons": list(explanation.reasons),
        "partialReasons": list(explanation.partial_reasons),
        "sourceHash": explanation.fingerprint.source,
        "rendererHash": explanation.fingerprint.renderer,
        "baselineHash": explanation.baseline_fingerprint.source,
        "baselineRendererHash": explanation.baseline_fingerprint.renderer,
        "files": None if sources is None else _sort(sources.own),
        "builtFiles": None if sources is None else _sort(sources.built),
        "sharedFiles": None
        if sources is None
        else {kind: _sort(files) for kind, files in sources.shared.items()},
    }


def _sort(files: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(files.items()))


def format_explanation(explanation: StoryExplanation) -> Iterator[str]:
    story = explanation.story
    state = "would be captured" if explanation.captured else "would not be captured"
    yield f"{story.id} ({story.title}/{story.name}) {state}: {'; '.join(explanation.reasons)}."
    if list(explanation.partial_reasons) != list(explanation.reasons):
        yield f"With --partial: {'; '.join(explanation.partial_reasons)}."
    if explanation.sources is not None:
        yield from _format_files(explanation, explanation.sources)
        if explanation.baseline_fingerprint.source not in ("", explanation.fingerprint.source):
            yield LIMIT
    yield from _format_hashes(explanation)


def _format_hashes(explanation: StoryExplanation) -> Iterator[str]:
    before, now = explanation.baseline_fingerprint, explanation.fingerprint
    for name, old, new in zip(("Source", "Renderer"), before, now, strict=True):
        known = "the baseline's is unknown" if not old else f"the baseline has {old}"
        yield f"{name} hash: {new or 'unknown'}; {'equal' if old == new != '' else known}."


def _format_files(explanation: StoryExplanation, sources: StorySources) -> Iterator[str]:
    own = sources.own
    yield f"Its source hash covers {_count(len(own))} of its own:"
    recent = [name for name in explanation.recent if name in own]
    names = [*recent, *sorted(own.keys() - set(recent))]
    for name in names[:SHOWN_FILES]:
        change = explanation.recent.get(name)
        yield f"  {name}  ({change})" if change else f"  {name}"
    if len(names) > SHOWN_FILES:
        yield f"  and {len(names) - SHOWN_FILES} more"
    yield f"the built code that it loads: {_count(len(sources.built))}"
    for kind in sorted(sources.removed):
        yield f"  (without {kind}, which changes with every build)"
    yield "and those of every story:"
    for kind, files in sources.shared.items():
        yield f"  {KINDS[kind]}: {_count(len(files))}{_last_change(explanation, files)}"


def _last_change(explanation: StoryExplanation, files: Mapping[str, str]) -> str:
    latest = next((name for name in explanation.recent if name in files), None)
    return f"; last changed: {latest} ({explanation.recent[latest]})" if latest else ""


def _count(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"
