"""``POST builds``: a shard creates or joins the build of its run."""

from dataclasses import asdict
from typing import Annotated, Self

from django.db import transaction
from django.http import HttpRequest
from pydantic import Field, model_validator

from visual_review.actions.dispatch import validate_as
from visual_review.actions.extended.request_review import MOST_REVIEWERS
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.endpoint import Project, ci_endpoint
from visual_review.api.ci.fields import (
    MAX_STORIES,
    BaseBranch,
    Branch,
    Commit,
    HeadRepository,
    LongText,
    Nonce,
    OneLine,
    OptionalSha256,
    OtherCommit,
    ProductKey,
    PullRequest,
    Shard,
    StoryId,
    VariantInput,
    VersionNumber,
)
from visual_review.api.json_bodies import MANIFEST_LIMIT, read_object
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.models import AUTHOR_LENGTH
from visual_review.builds.notifying.events import publish_requested
from visual_review.builds.notifying.owners import store_sources
from visual_review.builds.publishing.create import create_build
from visual_review.builds.publishing.requests import BuildRequest
from visual_review.builds.reviewers import request_reviewers
from visual_review.builds.source import BuildSource
from visual_review.builds.urls import build_page
from visual_review.builds.variants import Variant
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.ids import MAX_LENGTH
from visual_review.repositories.code_owners import FILE_LENGTH, store_code_owners
from visual_review.repositories.identity_rules import BuildClaim
from visual_review.repositories.models import DEFAULT_PRODUCT
from visual_review.variants import DEVICES, THEMES, Device, Theme

RENDERER_LENGTH = 10_000
SourcePath = Annotated[OneLine, Field(max_length=1000)]
RendererText = Annotated[OneLine, Field(max_length=RENDERER_LENGTH)]


class MatrixInput(ActionInput):
    themes: Annotated[list[Theme], Field(min_length=1, max_length=len(THEMES))]
    devices: Annotated[list[Device], Field(min_length=1, max_length=len(DEVICES))]

    def variants(self) -> set[Variant]:
        return {Variant(theme, device) for theme in self.themes for device in self.devices}


class RendererInput(ActionInput):
    browser: RendererText = ""
    version: RendererText = ""
    flags: RendererText = ""


class Input(ActionInput):
    nonce: Nonce
    shard: Shard = 1
    shards: Shard = 1
    product_key: ProductKey = DEFAULT_PRODUCT
    branch: Branch
    head_repository: HeadRepository = ""
    commit: Commit
    base_commit: OtherCommit = ""
    merge_commit: OtherCommit = ""
    merge_base_commit: OtherCommit = ""
    pull_request: PullRequest | None = None
    base_branch: BaseBranch = ""
    message: LongText = ""
    author: Annotated[OneLine, Field(max_length=AUTHOR_LENGTH)] = ""
    baseline_id: Annotated[OneLine, Field(max_length=MAX_LENGTH)] | None = None
    baseline_move: VersionNumber | None = None
    partial: bool = False
    story_ids: Annotated[list[StoryId], Field(max_length=MAX_STORIES)] | None = None
    sources_digest: OptionalSha256 = ""
    matrix: MatrixInput
    detection_variants: list[VariantInput] = Field(default_factory=list, max_length=6)
    renderer: RendererInput = RendererInput()
    sources: dict[SourcePath, Annotated[list[StoryId], Field(max_length=MAX_STORIES)]] = Field(
        default_factory=dict, max_length=MAX_STORIES, description="Stories by their source file."
    )
    code_owners: Annotated[str, Field(max_length=FILE_LENGTH)] | None = Field(
        default=None, description="`CODEOWNERS`, which only counts from the default branch."
    )
    reviewers: list[Annotated[OneLine, Field(max_length=300)]] = Field(
        default_factory=list, max_length=MOST_REVIEWERS
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.shard > self.shards:
            raise ValueError(f"shard {self.shard} exceeds the {self.shards} shards of the run")
        if self.partial and self.story_ids is None:
            raise ValueError("a partial build needs storyIds with all existing stories")
        if self.story_ids is not None and len(set(self.story_ids)) < len(self.story_ids):
            raise ValueError("storyIds contains a story twice")
        if self.matrix.variants() & set(self.detection()):
            raise ValueError("detectionVariants must be outside the matrix")
        return self

    def detection(self) -> tuple[Variant, ...]:
        return tuple(Variant(each.theme, each.device) for each in self.detection_variants)

    def to_request(self, full_name: str) -> BuildRequest:
        """Return the request for the repository ``full_name``."""
        return BuildRequest(
            nonce=self.nonce,
            shard=self.shard,
            shards=self.shards,
            product_key=self.product_key,
            source=BuildSource(
                branch=self.branch,
                head_repository=self.head_repository,
                pull_request=self.pull_request,
                base_branch=self.base_branch,
            ).in_repository(full_name),
            commit=self.commit,
            base_commit=self.base_commit,
            merge_commit=self.merge_commit,
            merge_base_commit=self.merge_base_commit,
            message=self.message,
            author=self.author,
            baseline_id=self.baseline_id,
            baseline_version=self.baseline_move,
            # A full build captured all stories, so a list of stories is ignored.
            story_ids=tuple(self.story_ids or ()) if self.partial else None,
            sources_digest=self.sources_digest,
            matrix=tuple(sorted(self.matrix.variants())),
            detection_variants=self.detection(),
            renderer=self.renderer.model_dump(),
        )


class Result(ActionResult):
    id: str
    number: int
    status: str
    url: str
    baseline_rule: Rule
    baseline_move: int
    unknown_reviewers: list[str] = Field(
        description="Of `reviewers`, who was not asked: not a member, or named by a fork's job."
    )
    direct_uploads: bool = Field(
        description="Images announced with their size are uploaded to the storage directly."
    )


@ci_endpoint("POST", takes_identities=True)
def create(request: HttpRequest, project: Project) -> Result:
    values = validate_as(Input, read_object(request, MANIFEST_LIMIT), "the build")
    build_request = values.to_request(project.repository.full_name)
    claim = BuildClaim(
        **asdict(build_request.source),
        commit=build_request.commit,
        merge_commit=build_request.merge_commit,
    )
    project.authorize(claim)
    project.require_confirmed_commit(claim)
    build = create_build(project.repository, build_request)
    # A fork's own job must not write to our members.
    wanted, refused = ([], values.reviewers) if build.head_repository else (values.reviewers, [])
    with transaction.atomic():
        owners_count = build_request.source.is_of(project.repository.default_branch)
        if values.code_owners is not None and owners_count:
            store_code_owners(project.repository, values.code_owners)
        store_sources(build, values.sources)
        found = request_reviewers(build, wanted, "")
        if found.asked:
            publish_requested(build, found, "")
    return Result(
        id=build.id,
        number=build.number,
        status=build.status,
        url=build_page(build),
        baseline_rule=build.baseline_rule,
        baseline_move=build.baseline_version,
        unknown_reviewers=[*found.unknown, *refused],
        direct_uploads=blob_store().signer is not None,
    )
