"""The boolean settings of products and repositories: one entry makes a section of the page."""

from dataclasses import dataclass
from typing import Final

from visual_review.repositories.models import Product, Repository


@dataclass(frozen=True)
class BooleanSetting:
    """A field of the model, with the texts of the settings page.

    A field that is null has the default. Text is plain, without HTML.
    """

    model: type[Product] | type[Repository]
    field: str
    default: bool
    verb: str
    title: str
    label: str
    about: str
    # Read after ``about`` while the setting is on, and while it is off.
    on: str
    off: str
    # What a change affects, for those who may make the change.
    note: str
    # Undecided builds of the product are compared again after a change.
    compares_again: bool = False

    def of(self, owner: Product | Repository) -> bool:
        """Return whether the setting is on."""
        chosen: bool | None = getattr(owner, self.field)
        return self.default if chosen is None else chosen

    def choose(self, owner: Product | Repository, *, enabled: bool) -> bool:
        """Store the choice in the locked row; return whether the setting changed."""
        before = self.of(owner)
        setattr(owner, self.field, enabled)
        owner.save(update_fields=[self.field])
        return before != enabled


COUNTS_FAINT_CHANGES: Final = BooleanSetting(
    model=Product,
    field="counts_faint_changes",
    default=True,
    verb="product.faint_changes_changed",
    title="Faint changes",
    label="Count faint changes",
    about="A change is faint if its colors differ by less than the threshold, but in an area that "
    "belongs together and is not small: a card that turned from light gray to white, a border "
    "that disappeared.",
    on="A screenshot with only faint changes needs a review.",
    off="A screenshot with only faint changes counts as unchanged.",
    note="After a change, undecided builds are compared again.",
    compares_again=True,
)
CARRIES_APPROVALS_OVER: Final = BooleanSetting(
    model=Repository,
    field="carries_approvals_over",
    default=True,
    verb="repository.carry_over_changed",
    title="Approvals across pull requests",
    label="Carry approvals over to other pull requests",
    about="An approval carries over to later builds of its own pull request or branch and, once "
    "the pull request is merged, to its base branch. The builds show whose approval it was.",
    on="A change that was approved in one pull request needs no review in another one that shows "
    "exactly the same change, either.",
    off="Each other pull request needs its own review, even for a change that was approved before.",
    note="Switching affects builds that are compared from then on. Decisions that have been made "
    "stay.",
)
# In the order of the page.
BOOLEAN_SETTINGS: Final = {
    setting.field: setting for setting in (COUNTS_FAINT_CHANGES, CARRIES_APPROVALS_OVER)
}


def settings_of(owner: Product | Repository) -> list[tuple[BooleanSetting, bool]]:
    """Return the settings of a product or a repository, and whether each is on."""
    return [
        (setting, setting.of(owner))
        for setting in BOOLEAN_SETTINGS.values()
        if isinstance(owner, setting.model)
    ]
