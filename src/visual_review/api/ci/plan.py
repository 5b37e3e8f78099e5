"""``GET capture-plan``: what to capture, and what it will be compared with."""

from typing import Literal

from django.http import HttpRequest
from pydantic import Field

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.door import Project, ci_door
from visual_review.api.ci.fields import (
    BaseBranch,
    BaselineRule,
    Branch,
    HeadRepository,
    ProductKey,
    QueryPullRequest,
)
from visual_review.builds.compared_with import ComparedWith, captured_sources, newest_baseline
from visual_review.builds.orders import Source
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.capture import (
    Axes,
    Capabilities,
    Device,
    Matrix,
    Theme,
    matrix,
)
from visual_review.repositories.models import (
    DEFAULT_PRODUCT,
    OrganizationCapture,
    Product,
    Repository,
)


class Query(ActionInput):
    branch: Branch
    product_key: ProductKey = DEFAULT_PRODUCT
    head_repository: HeadRepository | None = None
    pull_request: QueryPullRequest | None = None
    base_branch: BaseBranch | None = None

    def source(self) -> Source:
        return Source(
            branch=self.branch,
            head_repository=self.head_repository or "",
            pull_request=self.pull_request,
            base_branch=self.base_branch or "",
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
    matrix_source: Literal["override", "organization", "detected", "all"]
    detection_armed: bool
    viewports: dict[str, Viewport]
    baseline_rule: BaselineRule
    baseline: BaselineResult | None
    stories: dict[str, str] = Field(description="Story to the source hash of its baseline.")


VIEWPORTS = {
    "phone": Viewport(width=390, height=844),
    "tablet": Viewport(width=820, height=1180),
    "desktop": Viewport(width=1440, height=900),
}


@ci_door("GET")
def capture_plan(request: HttpRequest, project: Project) -> Result:
    query = validate_as(Query, _parameters(request), "the query")
    repository = project.repository
    product = _product(repository, query.product_key)
    source = query.source().in_repository(repository)
    compared = newest_baseline(product, source.origin(repository.default_branch))
    captured = product_matrix(repository, product)
    return Result(
        product_key=query.product_key,
        themes=list(captured.themes),
        devices=list(captured.devices),
        matrix_source=captured.source,
        detection_armed=product.detection_armed,
        viewports=VIEWPORTS,
        baseline_rule=compared.rule,
        baseline=_baseline(compared),
        stories=captured_sources(compared, captured.variants),
    )


def _parameters(request: HttpRequest) -> dict[str, str]:
    for name, values in request.GET.lists():
        if len(values) > 1:
            raise InvalidInputError(f"The query names '{name[:100]}' twice.")
    return request.GET.dict()


def _product(repository: Repository, key: str) -> Product:
    # The first publish makes the product; asking what to capture does not.
    found = Product.objects.filter(repository=repository, key=key).first()
    return found or Product(repository=repository, key=key)


def product_matrix(repository: Repository, product: Product) -> Matrix:
    default = OrganizationCapture.objects.filter(organization=repository.organization_id).first()
    return matrix(
        _axes(product),
        Axes() if default is None else _axes(default),
        Capabilities(product.has_dark_mode, product.is_responsive),
    )


def _axes(row: Product | OrganizationCapture) -> Axes:
    return Axes(
        None if row.themes is None else tuple(row.themes),
        None if row.devices is None else tuple(row.devices),
    )


def _baseline(compared: ComparedWith) -> BaselineResult | None:
    if compared.baseline is None:
        return None
    return BaselineResult(
        id=compared.baseline.id, branch=compared.baseline.branch, move=compared.move
    )
