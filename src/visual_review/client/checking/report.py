"""Writes the report of a check: the page of `visual-review diff`, with a sheet for each group."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Final

from visual_review.client.capture import file_name
from visual_review.client.checking.baseline import Baseline
from visual_review.client.checking.groups import CheckedGroup, Findings
from visual_review.client.comparing.memory_limit import MemoryLimit, usable_memory
from visual_review.client.comparing.outcomes import Results, make_document
from visual_review.client.comparing.output_folder import OutputFolder
from visual_review.client.comparing.report_page import make_page
from visual_review.client.comparing.settings import Settings
from visual_review.client.comparing.sheets import plan_sheets
from visual_review.imagediff import engine
from visual_review.imagediff.changes.grouping import Group

# No one looks at more, and each takes about as long as a comparison.
MOST_SHEETS: Final = 40


def write_report(
    output: OutputFolder, findings: Findings, baseline: Baseline, folder: Path
) -> Mapping[int, Path]:
    """Complete the report; return the sheets by the numbers of groups. Raises OutputError."""
    groups = [each for each in findings.groups if each.number is not None]
    memory = MemoryLimit(usable_memory())
    sheets: dict[int, str] = {}
    for group in groups[:MOST_SHEETS]:
        members = tuple(each.outcome for each in group.members)
        # New and removed images are listed by their state, not by groups.
        is_changed = members[0].state == "changed"
        planned = plan_sheets(Results(members, (_name_images(group),) if is_changed else ()))
        if planned and group.number is not None:
            sheets[group.number] = output.write_sheet(f"G{group.number}", planned[0], memory)
    outcomes = [each.outcome for each in chain.from_iterable(g.members for g in findings.groups)]
    results = Results(outcomes, list(map(_name_images, groups)), list(sheets.values()))
    settings = Settings(faint=baseline.faint)
    document = make_document(results, settings, engine().name)
    document["counts"]["unchanged"] = findings.unchanged
    before = Path(f"{baseline.version.branch} (version {baseline.version.number})")
    output.complete(document, make_page(document, (before, folder), settings.describe()))
    return {number: output.path / path for number, path in sheets.items()}


def _name_images(group: CheckedGroup) -> Group:
    """Return the group with the names of the images in the report."""
    return Group(
        key=f"G{group.number}",
        name=group.name,
        kind=None,
        members=tuple(file_name(*each.key) for each in group.members),
        remainders=tuple(file_name(*key) for key in group.remainders),
    )
