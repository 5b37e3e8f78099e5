"""``GET baseline``: the baseline for a build, for ``visual-review check``.

The only call of the CI interface for people: accepts an API key, or the access token of a sign-in.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Self

from django.http import HttpRequest, HttpResponse
from pydantic import Field

from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.callers import KEY_INVALID, Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionResult
from visual_review.api.ci.capture_plan import Query as PlanQuery
from visual_review.api.ci.capture_plan import Result as PlanResult
from visual_review.api.ci.capture_plan import current_scope, make_plan, read_parameters
from visual_review.api.ci.endpoint import HEADER, require_accepted_client
from visual_review.api.ci.fields import RepositoryName
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import api_endpoint
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.rest import compressed_response
from visual_review.builds.baselines.resolution import BaselineResolution
from visual_review.builds.baselines.store import ListedEntry, list_entries
from visual_review.builds.images.blob_keys import image_key_of
from visual_review.builds.images.links import LINK_SECONDS
from visual_review.builds.models import BaselineVersion
from visual_review.builds.source import BuildSource
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import ForbiddenError
from visual_review.repositories.boolean_settings import COUNTS_FAINT_CHANGES
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import planned_product, repository_named
from visual_review.repositories.regions import regions_of
from visual_review.variants import Device, Theme


class Query(PlanQuery):
    repository: RepositoryName


class Version(ActionResult):
    """Who created the version of the baseline, and from which build."""

    created_at: datetime
    by: str
    commit: str = Field(description="Commit of the build; empty if the build was deleted.")
    build_number: int | None

    @classmethod
    def of(cls, row: BaselineVersion) -> Self:
        return cls(
            created_at=row.created_at,
            by=row.created_by_name,
            commit=row.build.commit if row.build else "",
            build_number=row.build.number if row.build else None,
        )


class Pixels(ActionResult):
    x: int
    y: int
    width: int
    height: int


class Fractions(ActionResult):
    x: float
    y: float
    width: float
    height: float


class Entry(ActionResult):
    story_id: str
    title: str
    theme: Theme
    device: Device
    sha256: str
    width: int
    height: int
    url: str = Field(description="Where the image is, for an hour.")
    source_hash: str
    renderer_hash: str
    regions: list[Pixels] = Field(description="What its story ignored, in pixels of the image.")
    dynamic_regions: list[Fractions] = Field(
        description="What reviewers let comparisons ignore, in fractions of the compared area."
    )


class Result(PlanResult):
    """The capture plan, and the entries of the baseline."""

    repository: str
    default_branch: str
    version: Version | None
    faint_changes: bool = Field(description="Whether faint changes make a screenshot changed.")
    entries: list[Entry]


@api_endpoint("GET")
def show_baseline(request: HttpRequest) -> HttpResponse:
    caller = _caller_of(request)
    require_accepted_client(request.headers.get(HEADER))
    if not caller.may(BUILDS_VIEW):
        raise ForbiddenError(
            f"Reading a baseline requires the permission '{BUILDS_VIEW}', which this caller does not "
            "have."
        )
    query = validate_as(Query, read_parameters(request), "the query")
    result = _read_baseline(caller, query)
    body = json.dumps(result.model_dump(mode="json")).encode()
    response = compressed_response(body, request.headers.get("Accept-Encoding", ""), JSON_TYPE)
    response["Cache-Control"] = "no-store"
    return response


def _caller_of(request: HttpRequest) -> Caller:
    credential = bearer_of(request.headers, KEY_INVALID)
    with wrong_credentials_limited(request.META.get("REMOTE_ADDR", "")):
        return caller_of_bearer(credential)


def _read_baseline(caller: Caller, query: Query) -> Result:
    repository = repository_named(caller.organization_id, query.repository)
    product = planned_product(repository, query.product_key)
    source = _find_source(query, repository)
    scope = current_scope(product, source)
    plan = make_plan(product, query, source, scope)
    return Result(
        **dict(plan),
        repository=repository.full_name,
        default_branch=repository.default_branch,
        version=_version(scope.compared),
        faint_changes=COUNTS_FAINT_CHANGES.of(product),
        entries=_list_entries(product, scope.compared),
    )


def _find_source(query: Query, repository: Repository) -> BuildSource:
    """Return the source of the branch's next build: a pull request, unless it is the base."""
    source = query.source(repository.full_name)
    is_base = source.is_of(repository.default_branch)
    if is_base or source.base_branch or source.pull_request is not None:
        return source
    return replace(source, base_branch=repository.default_branch)


def _version(compared: BaselineResolution) -> Version | None:
    versions = BaselineVersion.objects.filter(baseline=compared.baseline, sequence=compared.version)
    row = versions.select_related("build").first()
    return None if row is None else Version.of(row)


def _list_entries(product: Product, compared: BaselineResolution) -> list[Entry]:
    if compared.baseline is None:
        return []
    listed = list_entries(compared.baseline.id, compared.version)
    regions = regions_of(product)
    urls = _link(listed, product.repository.organization_id)
    return [
        Entry(
            story_id=entry.story_id,
            title=entry.title,
            theme=entry.theme,
            device=entry.device,
            sha256=entry.image__sha256,
            width=entry.image__width,
            height=entry.image__height,
            url=url,
            source_hash=entry.source_hash,
            renderer_hash=entry.renderer_hash,
            regions=entry.regions,
            dynamic_regions=regions.get((entry.story_id, entry.theme, entry.device), []),
        )
        for entry, url in zip(listed, urls, strict=True)
    ]


def _link(listed: Sequence[ListedEntry], organization_id: str) -> list[str]:
    keys = [image_key_of(organization_id, entry.image__sha256) for entry in listed]
    return blob_store().links(keys, LINK_SECONDS)
