"""The folder of a report: complete, or marked as incomplete."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from visual_review.client.comparing.comparison import ComparedImages, Side
from visual_review.client.comparing.errors import OutputError, UnreadableFileError
from visual_review.client.comparing.outcomes import ReportFiles, Results
from visual_review.client.comparing.pairs import difference_name, portable_name
from visual_review.client.comparing.report_page import GENERATOR, INCOMPLETE_PAGE
from visual_review.client.comparing.sheets import Sheet, plan_sheets, render_sheet
from visual_review.client.comparing.threads import MemoryLimit, map_in_order
from visual_review.imagediff import ImageError, Verdict, probe
from visual_review.imagediff.rendering.composite import render_composite
from visual_review.imagediff.rendering.composite_plan import Panel, plan_composite
from visual_review.imagediff.rendering.thumbnails import RenderedImage

# Of the compared area; a smaller one is never rounded down to zero.
SMALLEST_SHARE: Final = 0.0001
LONGEST_NAME: Final = 80
PAGE: Final = "index.html"
DOCUMENT: Final = "report.json"
IMAGES: Final = ("before", "after", "differences", "composites", "sheets")
ENTRIES: Final = (PAGE, DOCUMENT, *IMAGES)
_EXTENSIONS: Final = {"image/png": ".png", "image/jpeg": ".jpg"}
# The mark of our own page is near the beginning of the page.
_MARK_WITHIN: Final = 1024


def render_pair(name: str, compared: ComparedImages) -> RenderedImage:
    """Return the composite of a changed pair, with the sentence about the change."""
    before, after = map(probe, compared.images)
    verdict, analysis = compared.verdict, compared.analysis
    panels = (
        Panel("Before", before.width, before.height, "before"),
        Panel("Difference", verdict.width, verdict.height, "diff"),
        Panel("After", after.width, after.height, "after"),
    )
    images = (compared.images[0], compared.difference, compared.images[1])
    load_images = [lambda image=image: image for image in images]
    plan = plan_composite(panels, verdict.boxes, analysis.changes)
    facts = f"{analysis.summary}. {_count_pixels(verdict)}" if verdict.diff_pixels else ""
    return render_composite(plan, (_shorten(name), facts or analysis.summary), load_images)


def _shorten(name: str) -> str:
    # The end of a path says more than the beginning.
    return name if len(name) <= LONGEST_NAME else f".../{name.rpartition('/')[2]}"


def _count_pixels(verdict: Verdict) -> str:
    share = verdict.diff_ratio
    percent = f"{share:.2%}" if share >= SMALLEST_SHARE else f"less than {SMALLEST_SHARE:.2%}"
    return f"{verdict.diff_pixels:,} pixels differ ({percent})"


class OutputFolder:
    """Writes a report; ``claim`` first, then ``complete`` or ``discard``."""

    def __init__(self, path: Path, *, composites: bool = True) -> None:
        self.path = path
        self._composites = composites
        self._created = False
        self._claimed = False

    def check_inputs(self, inputs: Sequence[Path]) -> None:
        """Raise OutputError if writing the report would change a compared file."""
        folder = os.path.realpath(self.path)
        for each in inputs:
            real = os.path.realpath(each)
            if real == folder:
                raise OutputError(f"{each} cannot be the output folder, too; choose another one")
            for entry in ENTRIES:
                if f"{real}{os.sep}".startswith(f"{folder}{os.sep}{entry}{os.sep}"):
                    raise OutputError(
                        f"{each} is in the part of {self.path} that the report replaces; choose "
                        "another output folder"
                    )

    def claim(self) -> None:
        """Delete the report of an earlier run, and leave a page about the running comparison.

        Raises OutputError, also for a folder with files of the same names from another program.
        """
        with self._explained():
            self._created = not os.path.lexists(self.path)
            self.path.mkdir(parents=True, exist_ok=True)
            taken = [entry for entry in ENTRIES if os.path.lexists(self.path / entry)]
            if taken and not self._is_ours():
                raise OutputError(
                    f"{self.path / taken[0]} was not written by visual-review diff; choose "
                    "another output folder, or delete it"
                )
            self._claimed = True
            # Before the old files go: an interrupted deletion must not leave the old page.
            self._replace(PAGE, INCOMPLETE_PAGE)
            self._delete(entry for entry in ENTRIES if entry != PAGE)

    def complete(self, document: dict[str, Any], page: str) -> None:
        """Write the document and the page. Raises OutputError."""
        with self._explained():
            self._replace(DOCUMENT, json.dumps(document, indent=2))
            self._replace(PAGE, page)

    def discard(self) -> str:
        """Delete all written files; return a sentence about the deletion, to follow the error."""
        if not self._claimed:
            return ""
        try:
            self._delete(ENTRIES)
        except OSError as error:
            return f"; parts of the report are left in {self.path}: {error.strerror or error}"
        if self._created:
            # Something else may have been put there meanwhile.
            with suppress(OSError):
                self.path.rmdir()
        return f"; the report in {self.path} was deleted"

    def write_change(self, name: str, compared: ComparedImages) -> ReportFiles:
        portable = portable_name(name)
        return ReportFiles(
            before=self._write(f"before/{portable}", compared.files[0]),
            after=self._write(f"after/{portable}", compared.files[1]),
            difference=self._write(f"differences/{difference_name(name)}", compared.difference),
            composite=self._write_composite(name, compared) if self._composites else None,
        )

    def write_single(self, name: str, side: Side, file: bytes) -> ReportFiles:
        written = self._write(f"{side}/{portable_name(name)}", file)
        return ReportFiles(**{side: written})

    def write_sheets(self, results: Results, memory: MemoryLimit, threads: int) -> list[str]:
        """Write sheets of the changed images, and return the names; none if not wanted."""
        if not self._composites or not any(each.files for each in results.outcomes):
            return []

        def write(numbered: tuple[int, Sheet]) -> str:
            return self.write_sheet(f"sheet-{numbered[0]}", numbered[1], memory)

        planned = list(enumerate(plan_sheets(results), 1))
        return map_in_order(write, planned, threads, lambda _: None)

    def write_sheet(self, name: str, sheet: Sheet, memory: MemoryLimit) -> str:
        """Write one sheet, and return the sheet's name within the folder."""
        try:
            rendered = render_sheet(sheet, self.path, memory)
        except (ImageError, UnreadableFileError) as error:
            raise OutputError(f"cannot render {name}: {error}") from error
        return self._write(f"sheets/{name}{_EXTENSIONS[rendered.media_type]}", rendered.data)

    def _write_composite(self, name: str, compared: ComparedImages) -> str:
        rendered = render_pair(name, compared)
        extension = "" if rendered.media_type == "image/png" else ".jpg"
        return self._write(f"composites/{difference_name(name)}{extension}", rendered.data)

    def _write(self, name: str, data: bytes) -> str:
        path = self.path / name
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return name

    def _replace(self, name: str, text: str) -> None:
        """Write a complete file, or leave the existing file."""
        temporary = self.path / f".{name}.new"
        try:
            temporary.write_text(text, encoding="utf-8", errors="replace", newline="\n")
            temporary.replace(self.path / name)
        finally:
            temporary.unlink(missing_ok=True)

    def _delete(self, entries: Sequence[str] | Iterator[str]) -> None:
        for path in (self.path / entry for entry in entries):
            # A link is deleted, never the target of the link.
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def _is_ours(self) -> bool:
        try:
            with (self.path / PAGE).open("rb") as file:
                return GENERATOR.encode() in file.read(_MARK_WITHIN)
        except OSError:
            return False

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = error.filename2 or error.filename or self.path
            raise OutputError(
                f"cannot write {os.fsdecode(where)}: {error.strerror or error}"
            ) from error
