"""Tells what came of an upload of recordings, for people and for machines."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from visual_review.cli.client.console import say
from visual_review.client.recordings.found_videos import Finding, Video
from visual_review.client.recordings.upload import Sent

SHOWN: Final = 50


def print_summary(sent: Sequence[Sent], out: Console) -> None:
    """What failed comes first, then the videos of tests that did not go well."""
    ordered = sorted(sent, key=lambda each: (not each.failed, each.video.went_well))
    for each in ordered[:SHOWN]:
        for line in _lines(each):
            say(out, line)
    if len(ordered) > SHOWN:
        say(out, f"and {len(ordered) - SHOWN} more")
    say(out, headline(sent))


def headline(sent: Sequence[Sent]) -> str:
    failed = sum(1 for each in sent if each.failed)
    before = sum(1 for each in sent if each.known_before and not each.failed)
    words = [f"{len(sent) - failed - before} uploaded"]
    if before:
        words.append(f"{before} were there before")
    if failed:
        words.append(f"{failed} failed")
    return f"Recordings: {', '.join(words)}."


def _lines(each: Sent) -> Iterable[str]:
    yield f"{'failed' if each.failed else 'ok':8}{described(each.video)}"
    if each.reason:
        yield f"{'':8}{each.reason}"
    if each.state:
        yield f"{'':8}{each.state.url}"


def described(video: Video) -> str:
    """Title, and in brackets what tells tries of the same test apart."""
    facts = [video.project, video.outcome.replace("_", " ")]
    facts.append(f"retry {video.retry}" if video.retry else "")
    told = ", ".join(filter(None, facts))
    return f"{video.title} ({told})" if told else video.title


def print_found(finding: Finding, folder: Path, out: Console) -> None:
    if not finding.videos:
        say(out, f"Nothing to upload: there are no videos in {folder} that were asked for.")
        return
    for video in finding.videos:
        more = f", {len(video.attachments)} attachments" if video.attachments else ""
        say(out, f"{described(video)}: {video.path}, {len(video.steps)} steps{more}")
    say(out, f"Recordings: {len(finding.videos)} found, nothing was sent.")


def document(sent: Sequence[Sent]) -> dict[str, Any]:
    """What ``--json`` prints."""
    verdict = "failed" if any(each.failed for each in sent) else "uploaded"
    return {"verdict": verdict, "recordings": [_sent(each) for each in sent]}


def dry_document(finding: Finding) -> dict[str, Any]:
    verdict = "dry_run" if finding.videos else "nothing_to_upload"
    return {"verdict": verdict, "recordings": [_video(video) for video in finding.videos]}


def _sent(each: Sent) -> dict[str, Any]:
    state = each.state
    return {
        **_video(each.video),
        "id": state.id if state else None,
        "status": state.status if state else None,
        "url": state.url if state else None,
        "knownBefore": each.known_before,
        "error": each.reason or None,
    }


def _video(video: Video) -> dict[str, Any]:
    return {
        "file": str(video.path),
        "title": video.title,
        "project": video.project,
        "outcome": video.outcome or None,
        "retry": video.retry,
        "steps": len(video.steps),
        "attachments": len(video.attachments),
    }
