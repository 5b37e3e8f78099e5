"""Checks a Storybook or a folder of images, from the baseline to the report."""

import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final

from visual_review.client.capture import CaptureSettings, file_name, is_storybook, read_stories
from visual_review.client.capture.sources import hash_renderer
from visual_review.client.capture.sources.fingerprint import describe_renderer_changes
from visual_review.client.checking.baseline import (
    Baseline,
    BaselineEntry,
    BaselineService,
    Key,
    load_baseline,
)
from visual_review.client.checking.cache import Cache
from visual_review.client.checking.comparison import (
    BaselineImages,
    Sides,
    compare_sides,
    rectangles_of,
)
from visual_review.client.checking.groups import (
    CheckedGroup,
    CheckedScreenshot,
    Expectation,
    Findings,
)
from visual_review.client.ci.parsing import parse_repository
from visual_review.client.comparing.outcomes import Results, make_document
from visual_review.client.comparing.output_folder import OutputFolder
from visual_review.client.comparing.report_page import make_page
from visual_review.client.comparing.settings import Settings
from visual_review.client.comparing.sheets import plan_sheets
from visual_review.client.comparing.threads import MemoryLimit, usable_memory
from visual_review.client.git import run_git
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import BuildContents, Spool
from visual_review.client.publishing.publish import (
    Request,
    collect_contents,
    narrow_plan,
    plan_query,
    print_notes,
)
from visual_review.client.publishing.responses import Plan
from visual_review.client.publishing.selection import Selection, settings_of_plan
from visual_review.client.publishing.storybook import CaptureOutput, NoObserver, capture_storybook
from visual_review.client.transport.errors import InputError
from visual_review.imagediff import Region, engine
from visual_review.imagediff.changes.grouping import Group

REMOTE_HEAD: Final = "refs/remotes/origin/"
SHOWN_LINES: Final = 15
# A checkout of a large repository.
CHECKOUT_SECONDS: Final = 600.0
NO_HASHES: Final = (
    "Nothing says what rendered these images or those of the baseline: differences between two "
    "browsers or systems look like changes."
)
# No one looks at more, and each takes about as long as a comparison.
MOST_SHEETS: Final = 40


def find_repository(folder: Path) -> str:
    """Return ``owner/repo`` of the remote `origin`. Raises InputError."""
    url = run_git(folder, "remote", "get-url", "origin").strip()
    repository = parse_repository(url)
    if not repository:
        raise InputError(
            "The repository is unknown: git has no remote `origin` with a name such as owner/repo. "
            "Pass --repository, or set repository in [check] of visual-review.toml."
        )
    return repository


def find_base_branch(folder: Path) -> str:
    """Return the default branch of the remote `origin`; empty if unknown to git."""
    name = run_git(folder, "symbolic-ref", "--quiet", f"{REMOTE_HEAD}HEAD").strip()
    return name.removeprefix(REMOTE_HEAD)


# Captures the base on this machine if another renderer captured the baseline.
#
# The base commit is built in its own worktree, with the build command of the project. The cache keeps
# the built Storybook by the tree of the commit, since the same files give the same Storybook.


@dataclass(frozen=True, slots=True)
class LocalBase:
    """The base of a Storybook: the build command, and the folder written by this command."""

    folder: Path
    command: str
    cache: Cache
    reporter: Reporter

    def build(self, commit: str) -> Path:
        """Return the Storybook built at ``commit``. Raises InputError."""
        top = Path(run_git(Path.cwd(), "rev-parse", "--show-toplevel").strip() or ".").resolve()
        tree = run_git(top, "rev-parse", "--verify", f"{commit}^{{tree}}").strip()
        if not tree:
            raise InputError(
                f"The base commit {commit[:12]} is not in this repository. Fetch it: `git fetch "
                "origin`."
            )
        output = self.folder.resolve()
        if not output.is_relative_to(top):
            raise InputError(f"{self.folder} is outside of the repository {top}.")
        place, inside = Path.cwd().resolve().relative_to(top), output.relative_to(top)
        name = [tree, self.command, str(place), str(inside)]
        if found := self.cache.find_storybook(name):
            return found
        self.reporter.note(f"Building the base commit {commit[:12]}: {self.command}")
        with _worktree(top, commit) as worktree:
            self._run(worktree / place)
            built = worktree / inside
            if not is_storybook(built):
                raise InputError(
                    f"`{self.command}` has built no Storybook in {inside} at the base commit."
                )
            return self.cache.store_storybook(name, built)

    def _run(self, folder: Path) -> None:
        # A shell, since commands of projects are lines such as `npm ci && npm run build`.
        done = subprocess.run(  # noqa: S602 - The project's own command, as npm runs scripts.
            self.command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode:
            lines = done.stdout.decode(errors="replace").splitlines()[-SHOWN_LINES:]
            raise InputError(
                f"`{self.command}` failed at the base commit with exit code {done.returncode}:\n"
                + "\n".join(lines)
            )


@contextmanager
def _worktree(top: Path, commit: str) -> Iterator[Path]:
    """Check the commit out into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="visual-review-base-") as parent:
        worktree = Path(parent) / "worktree"
        arguments = ("worktree", "add", "--detach", "--force", str(worktree), commit)
        run_git(top, *arguments, seconds=CHECKOUT_SECONDS)
        if not worktree.is_dir():
            raise InputError(f"git could not check the base commit {commit[:12]} out.")
        try:
            yield worktree
        finally:
            run_git(top, "worktree", "remove", "--force", str(worktree))
            # git may be unable to remove files written by the build.
            shutil.rmtree(worktree, ignore_errors=True)
            run_git(top, "worktree", "prune")


def capture_base(
    built: Path,
    baseline: Baseline,
    stories: Collection[str],
    settings: CaptureSettings,
    output: tuple[Spool, Reporter],
) -> dict[Key, BaselineEntry]:
    """Return entries of ``stories``, captured at the base. Raises CaptureError, InputError."""
    spool, reporter = output
    wanted = [story for story in read_stories(built) if story.id in stories]
    plan = replace(baseline.plan, detection_armed=False)
    target = CaptureOutput(spool, reporter)
    contents = capture_storybook(built, plan, Selection(wanted, {}), settings, target)
    failed = [entry for entry in contents.entries if entry.error]
    if failed:
        raise InputError(
            f"{failed[0].story_id} cannot be captured at the base commit: {failed[0].error}"
        )
    return {
        (entry.story_id, entry.variant): BaselineEntry(
            entry.title,
            entry.sha256,
            (entry.width, entry.height),
            regions=rectangles_of(entry),
            dynamic_regions=_dynamic_regions(baseline, (entry.story_id, entry.variant)),
        )
        for entry in contents.entries
    }


def _dynamic_regions(baseline: Baseline, key: Key) -> tuple[Region, ...]:
    known = baseline.entries.get(key)
    return known.dynamic_regions if known else ()


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The source, the server and the report of a check."""

    # What a publish would capture or read.
    capture: Request
    server: str
    repository: str
    # The folder for the report.
    report: Path
    # Builds the Storybook in its repository; needed only if another renderer captured the baseline.
    build_command: str = ""
    threads: int = 1
    expectation: Expectation = field(default_factory=Expectation)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The findings and the report of a check."""

    baseline: Baseline
    findings: Findings
    expectation: Expectation
    report: Path
    # Files of the report by the numbers of groups.
    sheets: Mapping[int, Path]

    @property
    def outside(self) -> list[CheckedScreenshot]:
        """Return the screenshots with an unexpected difference or failure."""
        return [each for each in self.findings.screenshots if not self.expectation.covers(each)]


def check(
    request: CheckRequest, service: BaselineService, cache: Cache, reporter: Reporter
) -> CheckResult:
    """Compare with the baseline. Raises PublishError, CaptureError, OutputError."""
    baseline = load_baseline(service, request.server, _make_query(request), cache)
    _note_baseline(baseline, reporter)
    output = OutputFolder(request.report, composites=False)
    output.check_inputs([request.capture.folder])
    with tempfile.TemporaryDirectory(prefix="visual-review-") as folder, ExitStack() as stack:
        captured, before = (_make_folder(folder, name) for name in ("captured", "before"))
        run = _Run(request, baseline, cache, reporter, before)
        contents = run.collect(Spool(captured))
        sides = Sides(contents, run.choose_entries(contents))
        images = BaselineImages(service, cache, before, reporter)
        # Nothing of a report is left where the check did not end.
        stack.callback(output.discard)
        output.claim()
        findings = compare_sides(sides, images, output, request.threads, faint=baseline.faint)
        sheets = write_report(output, findings, baseline, request.capture.folder)
        stack.pop_all()
    cache.trim()
    return CheckResult(baseline, findings, request.expectation, request.report, sheets)


def _make_folder(parent: str, name: str) -> Path:
    folder = Path(parent) / name
    folder.mkdir()
    return folder


def _make_query(request: CheckRequest) -> dict[str, str | int]:
    query = plan_query(request.capture)
    # Every CI run has its own nonce.
    del query["nonce"]
    return {**query, "repository": request.repository}


def _note_baseline(baseline: Baseline, reporter: Reporter) -> None:
    version = baseline.version
    offline = (
        ""
        if baseline.read_at is None
        else f", as the server said on {baseline.read_at:%Y-%m-%d at %H:%M} UTC; it cannot be reached now"
    )
    reporter.note(f"Comparing with {version.describe()}{offline}.")
    if version.commit and not _has_commit(version.commit):
        reporter.note(
            f"{version.branch} has moved on: this checkout does not have its commit "
            f"{version.commit[:12]}. Merge or rebase to see your own changes only."
        )


def _has_commit(commit: str) -> bool:
    """Whether the checkout descends from the commit; also outside of a repository."""
    folder = Path.cwd()
    head = run_git(folder, "rev-parse", "--verify", "HEAD").strip()
    # Without the commit itself, git prints nothing.
    return not head or run_git(folder, "merge-base", commit, "HEAD").strip() == commit


@dataclass(slots=True)
class _Run:
    """Captures the stories to compare, with the images of the baseline in ``before``."""

    request: CheckRequest
    baseline: Baseline
    cache: Cache
    reporter: Reporter
    before: Path
    _plan: Plan = field(init=False)

    def collect(self, spool: Spool) -> BuildContents:
        """Capture the stories whose sources changed, or read the folder."""
        capture = self.request.capture
        plan = narrow_plan(self.baseline.plan, capture.themes, capture.devices)
        # Detection is for builds.
        self._plan = replace(plan, detection_armed=False)
        if self._is_storybook:
            renderer = hash_renderer(settings_of_plan(capture.capture, plan))
            # Without a look at the renderer: an unchanged story is unchanged by any renderer.
            stories = {
                story: hashes._replace(renderer=renderer) for story, hashes in plan.stories.items()
            }
            self._plan = replace(self._plan, stories=stories)
        scope = "partial" if self._is_storybook else capture.scope
        contents = collect_contents(
            replace(capture, scope=scope), self._plan, spool, self.reporter, NoObserver()
        )
        print_notes(contents, self.reporter)
        return contents

    def choose_entries(self, contents: BuildContents) -> Mapping[Key, BaselineEntry]:
        """Return the entries to compare with: of the baseline, or of the base captured here."""
        entries = self.baseline.entries
        compared = [
            (each.hashes.renderer, entries[each.story_id, each.variant].hashes.renderer)
            for each in contents.entries
            if not each.error and (each.story_id, each.variant) in entries
        ]
        foreign = [(now, before) for now, before in compared if now != before]
        if not foreign:
            if compared and not any(now for now, _ in compared):
                self.reporter.note(NO_HASHES)
            return entries
        now, before = foreign[0]
        causes = "; ".join(describe_renderer_changes(before, now))
        if not self._is_storybook or not self.request.build_command:
            raise InputError(self._explain_renderers(now, before, causes))
        self.reporter.note(f"The baseline was rendered by something else ({causes}).")
        stories = {each.story_id for each in contents.entries if not each.error}
        base = self._capture_base(stories)
        if missing := {story for story, _ in entries if story in stories} - {
            key[0] for key in base
        }:
            self.reporter.note(
                f"Not in the base commit, so new here: {', '.join(sorted(missing))}."
            )
        # No image of the other renderer is left to compare with.
        return {key: each for key, each in entries.items() if key[0] not in stories} | base

    @property
    def _is_storybook(self) -> bool:
        capture = self.request.capture
        return is_storybook(capture.folder) and not capture.images_only

    def _capture_base(self, stories: set[str]) -> dict[Key, BaselineEntry]:
        capture, version = self.request.capture, self.baseline.version
        if not version.commit:
            raise InputError(
                f"The commit of {version.describe()} is not known any more, so the base cannot be "
                "built here. Approve another build of the branch."
            )
        base = LocalBase(capture.folder, self.request.build_command, self.cache, self.reporter)
        built = base.build(version.commit)
        self.reporter.note("Capturing the same stories of the base commit with this renderer.")
        settings = settings_of_plan(capture.capture, self._plan)
        known = {story for story, _ in self.baseline.entries}
        return capture_base(
            *(built, self.baseline, stories & known, settings),
            (Spool(self.before), self.reporter),
        )

    def _explain_renderers(self, now: str, before: str, causes: str) -> str:
        return (
            f"The baseline's images were rendered by something else: {causes}. Theirs is "
            f"{before or 'unknown'}, the one here is {now or 'unknown'}. Images of two renderers are not "
            "compared: say in visual-review.toml how the base is built here, for example [check] "
            'build = "npm ci && npm run build-storybook", or run the check in the image of your CI.'
        )


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
