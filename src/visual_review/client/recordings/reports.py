"""Finds the report of a folder of videos and reads it by the reader of its kind."""

from pathlib import Path
from typing import Final

from visual_review.client.recordings.cypress import is_mochawesome, read_mochawesome
from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import Finding, Video
from visual_review.client.recordings.json_report import Place
from visual_review.client.recordings.junit import ROOTS, read_junit
from visual_review.client.recordings.playwright import is_playwright, read_playwright
from visual_review.client.recordings.xml_report import read_xml

KNOWN: Final = "Playwright's JSON, mochawesome's JSON, or JUnit's XML"


def find_videos(folder: Path, reports: list[Path]) -> Finding:
    """The videos below ``folder``, told about by ``reports`` or by reports found in it.

    Raises InputError for a folder that is not there, and ReportError for a given report that
    cannot be read; one that was only found beside the videos is left out with a note.
    """
    files = Files(folder)
    if reports:
        return _joined([read_report(report, files) for report in reports], files)
    return _joined(_found_reports(files), files)


def read_report(report: Path, files: Files) -> Finding:
    """Raises ReportError."""
    if report.suffix.lower() == ".xml":
        return read_junit(report, files)
    root = Place.read(report)
    if is_playwright(root):
        return read_playwright(root, report, files)
    if is_mochawesome(root):
        return read_mochawesome(root, report, files)
    raise ReportError(f"{report} is of no kind that is known here: {KNOWN}.")


def _found_reports(files: Files) -> list[Finding]:
    found = []
    for path in files.ending(".json", ".xml"):
        try:
            if _is_report(path):
                found.append(read_report(path, files))
        except ReportError as error:
            # Folders of tests hold all kinds of JSON.
            found.append(Finding(notes=[f"Not read as a report: {error}"]))
    return found


def _is_report(path: Path) -> bool:
    if path.suffix.lower() == ".xml":
        return read_xml(path).name in ROOTS
    root = Place.read(path)
    return is_playwright(root) or is_mochawesome(root)


def _joined(findings: list[Finding], files: Files) -> Finding:
    """Each video once, told about where any report tells; those of no report at the end."""
    whole = Finding()
    known: dict[Path, Video] = {}
    for finding in findings:
        whole.notes += finding.notes
        for video in finding.videos:
            before = known.get(video.path)
            if before is None or (before.test is None and video.test is not None):
                known[video.path] = video
    told = [video for video in known.values() if video.test is not None]
    named = {video.path for video in told}
    rest = [Video(path, files.relative(path)) for path in files.videos() if path not in named]
    whole.videos = [*told, *rest]
    return whole
