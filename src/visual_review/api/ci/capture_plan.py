"""``GET capture-plan``: what to capture, and what it will be compared with."""

from dataclasses import dataclass

from django.http import HttpRequest
from pydantic import Field

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.endpoint import Project, ci_endpoint
from visual_review.api.ci.fields import (
    BaseBranch,
    Branch,
    HeadRepository,
    Nonce,
    ProductKey,
    QueryPullRequest,
)
from visual_review.builds.baselines.resolution import (
    ComparedWith,
    captured_sources,
    newest_baseline,
)
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.models import Build
from visual_review.builds.publishing.create import build_of_nonce
from visual_review.builds.publishing.requests import Source
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.capture_rules import DEVICES, THEMES, Device, MatrixSource, Theme
from visual_review.repositories.capture_settings import matrix_of
from visual_review.repositories.identity_rules import IdentityClaim
from visual_review.repositories.models import DEFAULT_PRODUCT, Product, Repository


class Query(ActionInput):
    branch: Branch
    product_key: ProductKey = DEFAULT_PRODUCT
    head_repository: HeadRepository = ""
    pull_request: QueryPullRequest | None = None
    base_branch: BaseBranch = ""
    nonce: Nonce | None = None

    def source(self) -> Source:
        return Source(
            branch=self.branch,
            head_repository=self.head_repository,
            pull_request=self.pull_request,
            base_branch=self.base_branch,
        )


class Viewport(ActionResult):
    """CSS pixels; pictures are taken over the full height of the page."""

    width: int
    height: int


class BaselineResult(ActionResult):
    id: str
    branch: str
    move: int


class Result(ActionResult):
    product_key: str
    themes: list[Theme]
    devices: list[Device]
    matrix_source: MatrixSource
    detection_armed: bool
    viewports: dict[str, Viewport]
    baseline_rule: Rule
    baseline: BaselineResult | None
    stories: dict[str, str] = Field(description="Story to the source hash of its baseline.")


# The server names the sizes, so that all captures of a product agree on them.
VIEWPORTS = {
    "phone": Viewport(width=390, height=844),
    "tablet": Viewport(width=820, height=1180),
    "desktop": Viewport(width=1440, height=900),
}


@dataclass(frozen=True)
class Scope:
    """What to capture for which comparison: as it stands now, or as the run's build fixed it."""

    variants: tuple[tuple[Theme, Device], ...]
    detection_armed: bool
    compared: ComparedWith


@ci_endpoint("GET", takes_identities=True)
def capture_plan(request: HttpRequest, project: Project) -> Result:
    query = validate_as(Query, _parameters(request), "the query")
    source = query.source().in_repository(project.repository)
    project.authorize(
        IdentityClaim(
            source.branch, source.head_repository, source.pull_request, source.base_branch
        )
    )
    product = _product(project.repository, query.product_key)
    build = build_of_nonce(project.repository, query.product_key, query.nonce or "")
    scope = _scope_now(project.repository, product, query) if build is None else _scope_of(build)
    return Result(
        product_key=query.product_key,
        themes=[theme for theme in THEMES if theme in {each[0] for each in scope.variants}],
        devices=[device for device in DEVICES if device in {each[1] for each in scope.variants}],
        matrix_source=matrix_of(product).source,
        detection_armed=scope.detection_armed,
        viewports=VIEWPORTS,
        baseline_rule=scope.compared.rule,
        baseline=_baseline(scope.compared),
        stories=captured_sources(scope.compared, scope.variants),
    )


def _scope_now(repository: Repository, product: Product, query: Query) -> Scope:
    origin = query.source().in_repository(repository).origin(repository.default_branch)
    return Scope(
        variants=matrix_of(product).variants,
        detection_armed=product.detection_armed,
        compared=newest_baseline(product, origin),
    )


def _scope_of(build: Build) -> Scope:
    return Scope(
        variants=tuple((theme, device) for theme, device in build.matrix),
        detection_armed=bool(build.detection_variants),
        compared=ComparedWith(build.baseline_rule, build.baseline, build.baseline_move),
    )


def _parameters(request: HttpRequest) -> dict[str, str]:
    # Django would take the last one in silence, and the caller may have meant the first.
    for name, values in request.GET.lists():
        if len(values) > 1:
            raise InvalidInputError(f"The query names '{name[:100]}' twice.")
    return request.GET.dict()


def _product(repository: Repository, key: str) -> Product:
    # The first publish makes the product; asking what to capture does not.
    found = Product.objects.filter(repository=repository, key=key).first()
    return found or Product(repository=repository, key=key)


def _baseline(compared: ComparedWith) -> BaselineResult | None:
    if compared.baseline is None:
        return None
    return BaselineResult(
        id=compared.baseline.id, branch=compared.baseline.branch, move=compared.move
    )
