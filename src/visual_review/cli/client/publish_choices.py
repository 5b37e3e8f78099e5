"""The combined options of ``visual-review publish``."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.capture_choices import (
    load_configuration,
    make_tag_filter,
    parse_hosts,
    parse_theme_values,
)
from visual_review.client.capture import CaptureSettings, is_storybook
from visual_review.client.capture.results import pages_for
from visual_review.client.ci import Checkout, CiFacts, Overrides, parse_shard, read_facts
from visual_review.client.configuration import Configuration
from visual_review.client.image_names import NamingOptions
from visual_review.client.publishing import InputError, Request, Scope
from visual_review.kernel.usable_cores import usable_cores

DEFAULT_FOLDER: Final = Path("storybook-static")


@dataclass(frozen=True, kw_only=True)
class CaptureChoices:
    """The options of all commands that read what a publish would, each a field with its default."""

    folder: options.Folder = DEFAULT_FOLDER
    url: options.Url = ""
    product: options.Product = "default"
    branch: options.Branch = None
    images_only: options.ImagesOnly = False
    as_is: options.AsIs = False
    report: options.Report = None
    name_pattern: options.NamePattern = None
    theme: options.FallbackTheme = None
    device: options.FallbackDevice = None
    project_root: options.ProjectRoot = None
    workers: options.Workers = None
    allow_host: options.AllowHost = None
    config: options.Config = None
    theme_global: options.ThemeGlobal = "theme"
    theme_value: options.ThemeValue = None
    include_tag: options.IncludeTag = None
    exclude_tag: options.ExcludeTag = None
    accept_theme_change: options.AcceptThemeChange = False
    chromium: options.Browser = None
    require_sandbox: options.RequireSandbox = False
    as_json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class PublishChoices(CaptureChoices):
    """The options of ``visual-review publish``."""

    story: options.Story = None
    token: options.Token = ""
    commit: options.Commit = None
    pull_request: options.PullRequest = None
    base_branch: options.BaseBranch = None
    head_repository: options.HeadRepository = None
    message: options.Message = None
    reviewer: options.Reviewer = None
    nonce: options.Nonce = None
    shard: options.Shard = None
    partial: options.Partial = False
    skip: options.Skip = False
    explain: options.Explain = False
    profile: options.WithProfile = False
    wait: options.Wait = True
    timeout: options.Timeout = 1800
    exit_zero_on_changes: options.ExitZero = False
    dry_run: options.DryRun = False

    def for_story(self) -> "PublishChoices | None":
        """Return the choices with the story to explain; None if the folder has images.

        Raises InputError for an ambiguous or missing story.
        """
        if self.images_only:
            return None
        # The first argument is the story if there is no such folder.
        if self.story is None and not self.folder.exists() and is_storybook(DEFAULT_FOLDER):
            return replace(self, folder=DEFAULT_FOLDER, story=str(self.folder))
        if self.story is None and is_storybook(self.folder):
            raise InputError(
                f"{self.folder} is a Storybook: name the story to explain, for example "
                f"`visual-review publish {self.folder} --explain forms-button--primary`."
            )
        return self if is_storybook(self.folder) else None

    def make_request(self) -> Request:
        """Raises InputError, CiError and CaptureError."""
        configuration = self._load_configuration().capture
        return Request(
            self.folder,
            self._read_facts(),
            product_key=self.product,
            scope=self._choose_scope(),
            wait_seconds=self.timeout if self.wait else None,
            dry_run=self.dry_run,
            capture=configuration.apply(self._make_capture_settings()),
            themes=configuration.themes,
            devices=configuration.devices,
            project_root=self.project_root,
            images_only=self.images_only,
            as_is=self.as_is,
            reports=tuple(self.report or ()),
            naming=self.naming if self._has_naming() else None,
            reviewers=tuple(self.reviewer or ()),
            accepts_theme_change=self.accept_theme_change,
            tags=make_tag_filter(self.include_tag, self.exclude_tag),
        )

    def _load_configuration(self) -> Configuration:
        # Images of another job were captured with the settings of the other job.
        if self.images_only and self.config is None:
            return Configuration()
        return load_configuration(self.folder, self.config)

    @property
    def naming(self) -> NamingOptions:
        pattern = (self.name_pattern or "").strip()
        return NamingOptions(pattern, self.theme or "light", self.device or "desktop")

    def _has_naming(self) -> bool:
        return any(each is not None for each in (self.name_pattern, self.theme, self.device))

    def _read_facts(self) -> CiFacts:
        overrides = Overrides(
            branch=self.branch,
            commit=self.commit,
            pull_request=self.pull_request,
            base_branch=self.base_branch,
            head_repository=self.head_repository,
            message=self.message,
            nonce=self.nonce,
            shard=None if self.shard is None else parse_shard(self.shard),
        )
        return read_facts(os.environ, Checkout(Path.cwd()), overrides)

    def _choose_scope(self) -> Scope:
        if self.partial and self.skip:
            raise InputError(
                "--partial and --skip cannot be combined: --skip captures nothing at all."
            )
        if self.skip:
            return "skip"
        return "partial" if self.partial else "full"

    def _make_capture_settings(self) -> CaptureSettings:
        return CaptureSettings(
            workers=self.workers or pages_for(usable_cores()),
            chromium=self.chromium,
            allow_hosts=parse_hosts(self.allow_host or []),
            theme_global=self.theme_global,
            theme_values=parse_theme_values(self.theme_value or []),
            require_sandbox=self.require_sandbox,
        )
