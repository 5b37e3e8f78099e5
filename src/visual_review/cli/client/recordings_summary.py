"""Reports the outcome of an upload of recordings, for people and as JSON."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from visual_review.cli.client.console import print_line
from visual_review.client.recordings.found_videos import FoundVideos, Video
from visual_review.client.recordings.upload import UploadResult

SHOWN: Final = 50


def print_summary(results: Sequence[UploadResult], out: Console) -> None:
    """Print failed uploads first, then the videos of tests that did not pass."""
    ordered = sorted(results, key=lambda result: (not result.failed, result.video.is_harmless))
    for result in ordered[:SHOWN]:
        for line in _format_lines(result):
            print_line(out, line)
    if len(ordered) > SHOWN:
        print_line(out, f"and {len(ordered) - SHOWN} more")
    print_line(out, format_headline(results))


def format_headline(results: Sequence[UploadResult]) -> str:
    failed = sum(1 for result in results if result.failed)
    before = sum(1 for result in results if result.known_before and not result.failed)
    parts = [f"{len(results) - failed - before} uploaded"]
    if before:
        parts.append(f"{before} uploaded before")
    if failed:
        parts.append(f"{failed} failed")
    return f"Recordings: {', '.join(parts)}."


def _format_lines(result: UploadResult) -> Iterable[str]:
    yield f"{'failed' if result.failed else 'ok':8}{describe_video(result.video)}"
    if result.reason:
        yield f"{'':8}{result.reason}"
    if result.state:
        yield f"{'':8}{result.state.url}"


def describe_video(video: Video) -> str:
    """Return the title, and in parentheses the difference to other attempts of the same test."""
    details = [video.project, video.outcome.replace("_", " ")]
    details.append(f"retry {video.retry}" if video.retry else "")
    suffix = ", ".join(filter(None, details))
    return f"{video.title} ({suffix})" if suffix else video.title


def print_found(found: FoundVideos, folder: Path, out: Console) -> None:
    if not found.videos:
        print_line(out, f"Nothing to upload: {folder} has no videos that match the options.")
        return
    for video in found.videos:
        more = f", {len(video.attachments)} attachments" if video.attachments else ""
        print_line(out, f"{describe_video(video)}: {video.path}, {len(video.steps)} steps{more}")
    print_line(out, f"Recordings: {len(found.videos)} found, nothing was uploaded.")


def make_json_document(results: Sequence[UploadResult]) -> dict[str, Any]:
    """Return the document of ``--json``."""
    verdict = "failed" if any(result.failed for result in results) else "uploaded"
    return {"verdict": verdict, "recordings": [_result_fields(result) for result in results]}


def make_dry_run_document(found: FoundVideos) -> dict[str, Any]:
    verdict = "dry_run" if found.videos else "nothing_to_upload"
    return {"verdict": verdict, "recordings": [_video_fields(video) for video in found.videos]}


def _result_fields(result: UploadResult) -> dict[str, Any]:
    state = result.state
    return {
        **_video_fields(result.video),
        "id": state.id if state else None,
        "status": state.status if state else None,
        "url": state.url if state else None,
        "knownBefore": result.known_before,
        "error": result.reason or None,
    }


def _video_fields(video: Video) -> dict[str, Any]:
    return {
        "file": str(video.path),
        "title": video.title,
        "project": video.project,
        "outcome": video.outcome or None,
        "retry": video.retry,
        "steps": len(video.steps),
        "attachments": len(video.attachments),
    }
